"""`python -m berge.mpi` on real ranks: mpiexec, kill -9, and going on with more or fewer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import berge
from berge.cli import exit_codes
from berge.results.stored import StoredMatching

MPIEXEC = Path(sys.executable).parent / "mpiexec"
needs_mpi = pytest.mark.skipif(
    not find_spec("mpi4py") or not MPIEXEC.exists(),
    reason="needs mpi4py and mpiexec: pip install mpi4py mpich",
)

# Every rank says who it is and waits after each phase, so that there is time to kill it.
SLOWLY = """
import os, sys, time
import berge.mpi
from berge.distributed.checkpoint import Checkpoint

def save(self, comm, part, row_match, phase, save=Checkpoint.save):
    save(self, comm, part, row_match, phase)
    (self.folder / f"pid-{comm.rank}").write_text(str(os.getpid()))
    time.sleep(0.5)

Checkpoint.save = save
sys.exit(berge.mpi.main())
"""


def command(ranks, *arguments, program=("-m", "berge.mpi")):
    return [MPIEXEC, "-n", str(ranks), sys.executable, *program, *map(str, arguments)]


def run(ranks, *arguments):
    return subprocess.run(command(ranks, *arguments), capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A graph in two forms, and one that is not it."""
    folder = tmp_path_factory.mktemp("mpi")
    graph = berge.generate.road(40, 40)
    berge.write(graph, folder / "road.berge")
    berge.write(graph, folder / "road.mtx")
    berge.write(berge.generate.road(40, 40, seed=1), folder / "other.npz")
    return folder


@pytest.fixture(scope="module")
def road(folder):
    graph = berge.read(folder / "road.mtx")
    return graph, berge.maximum_matching(graph).cardinality


@needs_mpi
@pytest.mark.parametrize(
    ("ranks", "source", "target"),
    [(2, "road.berge", "out2"), (3, "road.mtx", "out.npz"), (4, "road.berge", "out4")],
)
def test_match(folder, road, ranks, source, target):
    graph, best = road
    output = folder / target
    done = run(ranks, "match", folder / source, "-o", output, "--json")
    assert done.returncode == exit_codes.OK, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["cardinality"], facts["ranks"], facts["proved"]) == (best, ranks, True)
    assert (facts["edges"], facts["unmatched_rows"]) == (graph.nnz, graph.n_rows - best)
    assert facts["cover_rows"] + facts["cover_cols"] == best
    assert (facts["init"], facts["resumed_phase"]) == ("within-parts", None)
    assert facts["exchanges"] < 90
    matching = berge.Matching.load(output)
    assert matching.prove(graph).size == best
    if output.is_dir():
        assert len(list(output.glob("row_match-*.npy"))) == ranks
        assert StoredMatching(output).cardinality == best
    done = run(5 - ranks, "verify", folder / source, output)
    assert done.returncode == exit_codes.OK, done.stderr
    assert f"a vertex cover of {best:,}" in done.stdout


@needs_mpi
def test_parquet_and_options(folder, road, tmp_path):
    """As on Dask: tables of edges by the names of their columns, and how parts search."""
    pytest.importorskip("pyarrow")
    graph, best = road
    berge.write(graph, tmp_path / "road.parquet")
    done = run(3, "match", tmp_path / "road.parquet", "--option", "exhaust=false", "--json")
    assert done.returncode == exit_codes.OK, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["cardinality"], facts["edges"]) == (best, graph.nnz)
    assert (facts["proved"], facts["exhausted"]) == (True, False)
    done = run(2, "match", tmp_path / "road.parquet", "--left", "nobody")
    assert done.returncode == exit_codes.USAGE
    assert done.stderr.count("nobody") == 1
    done = run(2, "match", folder / "road.berge", "--option", "lookahead=true")
    assert done.returncode == exit_codes.USAGE
    assert done.stderr.count("'lookahead' is no option") == 1
    done = run(2, "match", folder / "road.mtx", "--left", "from")
    assert done.returncode == exit_codes.USAGE
    assert done.stderr.count("--left and --right are for Parquet files") == 1


@needs_mpi
def test_verify_tells_what_is_wrong(folder, road):
    graph, best = road
    m = berge.maximum_matching(graph)
    rows, cols = m.row_match.copy(), m.col_match.copy()
    x, y = m.pairs()[0]
    rows[x], cols[y] = -1, -1
    berge.Matching(rows, cols, upper_bound=best).save(folder / "smaller.npz")
    done = run(2, "verify", folder / "road.berge", folder / "smaller.npz", "--json")
    assert done.returncode == exit_codes.NOT_MAXIMUM, done.stderr
    assert json.loads(done.stdout)["cardinality"] == best - 1
    strangers = np.setdiff1d(np.arange(graph.n_cols), graph.indices[: graph.indptr[1]])
    rows[:], cols[:] = -1, -1
    rows[0], cols[strangers[0]] = strangers[0], 0
    berge.Matching(rows, cols, upper_bound=best).save(folder / "wrong.npz")
    done = run(2, "verify", folder / "road.berge", folder / "wrong.npz")
    assert done.returncode == exit_codes.NOT_A_MATCHING, done.stderr
    assert "row 0 is matched to a column that is not a neighbour" in done.stdout


@needs_mpi
def test_time_limit(folder, road):
    graph, best = road
    output = folder / "late.npz"
    limit = ("--time-limit", "0", "--init", "none")
    done = run(2, "match", folder / "road.berge", "-o", output, *limit)
    assert done.returncode == exit_codes.TIME_LIMIT, done.stderr
    matching = berge.Matching.load(output)
    berge.verify(graph, matching)
    assert matching.cardinality < best


def signalled(number, folder, checkpoint, ranks, victim, *options):
    """Start a run, and signal to one rank after its first phases.

    Returns the exit code, and what the launcher says.
    """
    for old in checkpoint.glob("pid-*"):
        old.unlink()
    manifest = checkpoint / "manifest.json"
    before = manifest.read_bytes() if manifest.exists() else b""
    arguments = ("match", folder / "road.berge", "-o", folder / f"by-{number}", "-i", "none")
    process = subprocess.Popen(
        command(ranks, *arguments, "--checkpoint", checkpoint, *options, program=("-c", SLOWLY)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        pid = checkpoint / f"pid-{victim}"
        deadline = time.monotonic() + 60
        while not (pid.exists() and manifest.exists() and manifest.read_bytes() != before):
            assert time.monotonic() < deadline
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.02)
        os.kill(int(pid.read_text()), number)
        text, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, text


def killed(folder, *arguments):
    """Kill a rank; return what the launcher says."""
    code, text = signalled(signal.SIGKILL, folder, *arguments)
    assert code != 0
    assert not (folder / f"by-{signal.SIGKILL}").exists()
    return text


@needs_mpi
def test_an_interrupted_rank(folder, road, tmp_path):
    """One rank gets SIGINT: all stop in the same round, and the matching so far is written."""
    graph, best = road
    code, text = signalled(signal.SIGINT, folder, tmp_path / "ck", 3, 1, "--json")
    assert code == exit_codes.INTERRUPTED, text
    facts = json.loads(text[text.index("{") :])
    assert (facts["stopped"], facts["is_maximum"]) == ("interrupted", False)
    matching = berge.Matching.load(folder / f"by-{signal.SIGINT}")
    berge.verify(graph, matching)
    assert 0 < matching.cardinality == facts["cardinality"] < best


@needs_mpi
def test_a_killed_rank(folder, road, tmp_path):
    """Three ranks, one is killed; two go on, one is killed; three go on, to the end."""
    graph, best = road
    checkpoint = tmp_path / "ck"
    text = killed(folder, checkpoint, 3, 1)
    assert "go on with --resume" in text
    killed(folder, checkpoint, 2, 1, "--resume")
    output = tmp_path / "out"
    arguments = ("match", folder / "road.berge", "-o", output, "--checkpoint", checkpoint)
    done = run(3, *arguments)
    assert done.returncode == exit_codes.ERROR
    assert "holds a checkpoint: go on from it with --resume" in done.stderr
    done = run(3, *arguments, "--resume", "--json")
    assert done.returncode == exit_codes.OK, done.stderr
    facts = json.loads(done.stdout)
    assert facts["proved"]
    assert facts["cardinality"] == best
    phase = json.loads((checkpoint / "manifest.json").read_text())["phase"]
    done = run(2, *arguments, "--resume")
    assert f"{best:,} by phase {phase} of the checkpoint" in done.stdout
    assert "a vertex cover of" in done.stdout
    berge.Matching.load(output).prove(graph)


@needs_mpi
def test_bad_checkpoints_are_refused(folder, tmp_path):
    checkpoint = tmp_path / "ck"
    done = run(2, "match", folder / "road.berge", "--checkpoint", checkpoint)
    assert done.returncode == exit_codes.OK, done.stderr
    done = run(2, "match", folder / "other.npz", "--checkpoint", checkpoint, "--resume")
    assert done.returncode == exit_codes.ERROR
    assert "a checkpoint of another graph" in done.stderr
    manifest = json.loads((checkpoint / "manifest.json").read_text())
    array = checkpoint / manifest["files"][1]["name"]
    array.write_bytes(array.read_bytes()[:-1] + b"?")
    done = run(3, "match", folder / "road.berge", "--checkpoint", checkpoint, "--resume")
    assert done.returncode == exit_codes.ERROR
    assert f"{array}: damaged" in done.stderr
    assert done.stderr.count("damaged") == 1  # said once, not by every rank


@needs_mpi
def test_greedy(folder, tmp_path):
    mesh = tmp_path / "mesh.mtx"
    rng = np.random.default_rng(0)
    grid = berge.generate.grid(30, 30).to_scipy().tocoo()
    values = rng.random(grid.nnz)
    entries = zip(grid.row, grid.col, values.tolist(), strict=True)
    lines = [f"{i + 1} {j + 1} {w!r}" for i, j, w in entries if i < j]
    head = f"%%MatrixMarket matrix coordinate real general\n900 900 {len(lines)}\n"
    mesh.write_text(head + "\n".join(lines))
    output = tmp_path / "pairs.npz"
    done = run(3, "greedy", mesh, "--weights", "-o", output, "--json")
    assert done.returncode == exit_codes.OK, done.stderr
    graph = berge.as_graph(mesh, weights=True)
    found, alone = berge.GreedyMatching.load(output), berge.greedy_matching(graph, weights=True)
    berge.verify(graph, found)
    assert found.is_maximal
    np.testing.assert_array_equal(found.mate, alone.mate)  # suitor's is the same matching
    done = run(2, "greedy", folder / "road.berge", "-o", output)
    assert done.returncode == exit_codes.OK, done.stderr
    assert "maximal; proposals on 2 ranks" in done.stdout
    done = run(2, "greedy", folder / "road.berge", "--weights")
    assert done.returncode == exit_codes.ERROR
    assert done.stderr.count("has no weights") == 1
    late = run(2, "greedy", folder / "road.berge", "--time-limit", "0", "--json")
    assert late.returncode == exit_codes.TIME_LIMIT, late.stderr
    assert json.loads(late.stdout)["stopped"] == "time limit"
    berge.verify(berge.as_graph(folder / "road.mtx"), berge.GreedyMatching.load(output))


@needs_mpi
def test_two_lists_and_urls(folder, road, tmp_path):
    """Parquet in, a row a pair out; of a URL each rank reads its own part."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("fsspec")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": rng.integers(0, 50, 200), "s": rng.permutation(200) / 8})
    frame["b"] = [f"b{k}" for k in rng.integers(0, 50, 200)]
    (tmp_path / "in").mkdir()
    for k in range(3):
        frame[k::3].to_parquet(tmp_path / f"in/{k}.parquet")
    names = "--left", "a", "--right", "b", "--score", "s"
    asked = *names, "--prove", "-o", tmp_path / "links", "--json"
    found = json.loads(run(2, "greedy", tmp_path / "in", *asked).stdout)
    here = berge.greedy_matching(frame, left="a", right="b", weights="s", prove=True)
    assert (found["size"], found["weight"]) == (here.size, here.weight)
    assert found["upper_bound"] == pytest.approx(here.upper_bound)
    written = pandas.read_parquet(tmp_path / "links")
    assert sorted(zip(written.a, written.b, strict=True)) == sorted(here.named())
    url = (folder / "road.berge").as_uri()
    assert json.loads(run(2, "match", url, "--json").stdout)["proved"]


@needs_mpi
def test_errors_are_said_once(folder):
    done = run(3, "match", folder / "absent.mtx")
    assert done.returncode == exit_codes.ERROR
    assert done.stderr.count("absent.mtx") == 1
    done = run(2, "match", folder / "road.berge", "--resume")
    assert done.returncode == exit_codes.USAGE
    assert done.stderr.count("--resume needs --checkpoint") == 1
    done = run(2, "match", folder / "road.berge", "-o", folder / "a.foo")
    assert done.returncode == exit_codes.USAGE
    assert done.stderr.count("must end in .npz, .txt or .json") == 1
    done = run(2, "match", folder / "road.berge", "-o", folder)
    assert done.returncode == exit_codes.ERROR
    assert done.stderr.count(f"{folder}: exists and holds no matching in parts") == 1
    assert "not expected" not in done.stderr


def alone(*arguments, without=()):
    """Run it without a launcher, and without some packages."""
    hide = "".join(f"sys.modules[{name!r}] = None\n" for name in without)
    program = f"import sys\n{hide}import berge.mpi\nsys.exit(berge.mpi.main())"
    arguments = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120)


@needs_mpi
def test_one_rank_needs_no_launcher(folder, road):
    done = alone("match", folder / "road.berge", "--json")
    assert done.returncode == exit_codes.OK, done.stderr
    assert json.loads(done.stdout)["cardinality"] == road[1]


def test_without_mpi4py(folder):
    done = alone("match", folder / "road.berge", without=["mpi4py"])
    assert done.returncode == exit_codes.ERROR
    assert 'pip install "berge[mpi]"' in done.stderr
    done = alone("match", "--help", without=["mpi4py", "numpy"])
    assert done.returncode == exit_codes.OK
    assert "--checkpoint FOLDER" in done.stdout


# What a rank's memory grows by, in kB, beyond that of a small graph.
GROWTH = """
import resource, sys
import berge
from berge.distributed.core import match_part
from berge.distributed.mpi import MPICommunicator
from berge.distributed.part import Part

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

comm = MPICommunicator()
match_part(Part.from_graph(berge.generate.road(20, 20), comm.rank, comm.size), comm)
before = peak()
match_part(Part.from_folder(sys.argv[1], comm.rank, comm.size), comm)
print(f"\\n{peak() - before}\\n", flush=True)
"""


@needs_mpi
def test_memory_of_ranks_shrinks(tmp_path):
    berge.write(berge.generate.road(500, 500), tmp_path / "graph.berge")

    def growth(ranks):
        line = command(ranks, tmp_path / "graph.berge", program=("-c", GROWTH))
        result = subprocess.run(line, capture_output=True, text=True, timeout=120, check=True)
        sizes = [int(size) for size in result.stdout.split()]
        assert len(sizes) == ranks
        return sizes

    assert max(growth(4)) < 0.75 * min(growth(2))
