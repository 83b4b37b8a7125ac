"""Other processes, other threads, other languages: spawn, fork, asyncio, locales."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

import berge

from ..conftest import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="far too slow")


def run(tmp_path, code, **environment):
    """Run a script in a process of its own, which may hang or be killed; return what it printed."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("how", ["spawn", "fork"])
def test_pools_of_processes(tmp_path, how):
    """Graphs go to other processes and matchings come back; the parent has used its threads."""
    said = run(
        tmp_path,
        """
        import multiprocessing, sys
        from concurrent.futures import ProcessPoolExecutor
        import numba
        import berge

        def match(graph):
            found = berge.maximum_matching(graph, threads=2)
            found.prove(graph)
            return found

        if __name__ == "__main__":
            how = "<how>"
            graph = berge.generate.erdos_renyi(100_000, 100_000, 310_000, seed=3)
            first = berge.maximum_matching(graph, threads=2)
            if how == "fork" and numba.threading_layer() == "omp":
                print("omp outlives no fork")  # numba's own; berge asks for tbb
                raise SystemExit
            context = multiprocessing.get_context(how)
            with ProcessPoolExecutor(2, mp_context=context) as pool:
                for found in pool.map(match, [graph] * 2):
                    assert found.cardinality == first.cardinality
                    berge.verify(graph, found)
            assert berge.maximum_matching(graph).cardinality == first.cardinality
            print("equal")
        """.replace("<how>", how),
    )
    assert said in ("equal\n", "omp outlives no fork\n")
    if said != "equal\n":
        pytest.skip(said)


def test_asyncio(tmp_path):
    """Matching in threads of an event loop, which goes on; a call that is cancelled is let be."""
    said = run(
        tmp_path,
        """
        import asyncio
        import berge

        graphs = [berge.generate.erdos_renyi(3000, 3000, 9000, seed=k) for k in range(6)]
        sizes = [berge.structural_rank(graph) for graph in graphs]

        async def main():
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    await asyncio.sleep(0.001)
                    ticks += 1

            clock = asyncio.create_task(tick())
            for _ in range(5):
                calls = [asyncio.to_thread(berge.maximum_matching, graph) for graph in graphs]
                found = await asyncio.gather(*calls)
                assert [m.cardinality for m in found] == sizes
            late = asyncio.create_task(asyncio.to_thread(berge.maximum_matching, graphs[0]))
            late.cancel()
            try:
                await late
            except asyncio.CancelledError:
                pass
            await asyncio.sleep(0.01)
            assert ticks > 0
            clock.cancel()

        asyncio.run(main())
        print("equal")
        """,
    )
    assert said == "equal\n"


LOCALES = {
    "ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "Latin 1": {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"},
    "UTF-8": {"PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"},
}


@pytest.mark.parametrize("name", LOCALES)
def test_locales(tmp_path, name):
    """Files are UTF-8 everywhere; names of files and labels need not be ASCII anywhere."""
    environment, stem = os.environ | LOCALES[name], "gräf – ✓"
    table = tmp_path / f"{stem}.csv"
    table.write_text("Wärter,Käfig\nÅsa,Löwe ✓\nÅsa,Bär\nBo,Bär\n", encoding="utf-8")

    def command(*arguments):
        line = [sys.executable, "-m", "berge", *map(os.fsencode, arguments)]
        done = subprocess.run(line, env=environment, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
        return done.stdout

    pairs = tmp_path / f"{stem}-pairs.csv"
    columns = ("Wärter", "Käfig") if name == "UTF-8" else ("1", "2")
    command("match", str(table), "--left", columns[0], "--right", columns[1], "-o", str(pairs))
    assert {"Bo,Bär", "Åsa,Löwe ✓"} <= set(pairs.read_text(encoding="utf-8").splitlines())
    graph, matching = tmp_path / f"{stem}.mtx", tmp_path / f"{stem}.json"
    berge.write(berge.generate.chain(9), graph)
    assert b"9" in command("match", str(graph), "-o", str(matching))
    command("verify", str(graph), str(matching))


def test_a_locale_with_a_decimal_comma(tmp_path):
    """Numbers in files have points, whatever the program has set."""
    said = run(
        tmp_path,
        """
        import locale, tempfile
        import berge

        for name in ("de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"):
            try:
                locale.setlocale(locale.LC_ALL, name)
            except locale.Error:
                continue
            break
        else:
            print("none here")
            raise SystemExit
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/g.mtx", "w") as file:
                file.write("%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 2 0.25\\n")
            graph = berge.as_graph(f"{folder}/g.mtx", weights=True)
        assert graph.weights[0] == 0.25
        print("read")
        """,
    )
    if said == "none here\n":
        pytest.skip("no such locale is installed")
    assert said == "read\n"
