"""Graphs in parts: exchanges, bytes and seconds, beside the same graph on one machine.

    python lab/benchmarks/in_parts.py [--engine mpi|dask] [--parts 1,2,4] [--rows 1e6] [NAME …]

Each graph is written as a .berge folder, of which the parts read their slices. "alone" is the
default of one machine on one thread. "seconds" is the whole of `match_part` on the parts, without
reading, best of three; kernels are loaded before, by a run on small graphs. On Dask it is the
whole call on a cluster that is up, and "of that" is the solve on the workers: without connecting,
reading, proof and gathering. Every matching is proved where it lies, and the cardinality
compared with that of one machine. MB is what all parts sent to each other; "local" the share of
edges within parts. Parts on one machine share its memory and cores, so seconds say little of what
more machines would do; exchanges do.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from common import fresh

import berge
from berge import generate
from berge_lab.bench.loop import in_turns

MPIEXEC = Path(sys.executable).parent / "mpiexec"


def graphs(rows: int) -> dict[str, Any]:
    side = round(rows**0.5)
    scale = (rows - 1).bit_length()
    return {
        "rmat": lambda: generate.rmat(scale, 8),
        "road": lambda: generate.road(round(side * 0.715), round(side * 0.715)),
        "delaunay": lambda: generate.delaunay(rows),
        "grid": lambda: generate.grid(side, side),
        "random": lambda: generate.erdos_renyi(rows, rows, 4 * rows),
    }


def small() -> tuple[Any, ...]:
    """Graphs on which all that the others need is run once."""
    permuted = generate.permute(generate.grid(60, 60))
    return (
        generate.road(20, 20),
        generate.rmat(8, 8),
        generate.erdos_renyi(3000, 3000, 12000),
        permuted,
    )


def on_ranks(folder: Path) -> None:
    """What every MPI rank does: solve a small graph, then that in the folder."""
    from berge.distributed.core import match_part
    from berge.distributed.messages import total
    from berge.distributed.mpi import MPICommunicator
    from berge.distributed.part import Part
    from berge.distributed.part_run import PartRun
    from berge.distributed.proof import prove_part

    comm = MPICommunicator()

    def best(part: Part, repeats: int) -> dict[str, Any]:
        run = PartRun(comm)

        def check(result: Any) -> dict[str, Any]:
            cover = result.row_cover, result.col_cover
            proof = prove_part(part, run, result.row_match, result.col_match, cover)
            stats = result.stats
            return {
                "cardinality": stats.cardinality,
                "proved": proof.maximum,
                "exchanges": stats.exchanges,
                "bytes": total(comm, stats.bytes)[0],
                "phases": stats.phases,
                "local": stats.local_fraction,
            }

        solve = partial(match_part, part, run)
        found = in_turns({"": solve}, repeats, warm_up=False, check=check)[""]
        return dict(found.told) | {"seconds": found.best}

    for graph in small():
        best(Part.from_graph(graph, comm.rank, comm.size), 1)
    part = Part.from_folder(folder, comm.rank, comm.size)
    facts = best(part, 3)
    if comm.rank == 0:
        print(json.dumps(facts))


def by_mpi(folder: Path, parts: int) -> dict[str, Any]:
    command = [str(MPIEXEC), "-n", str(parts), sys.executable, __file__, "--on-ranks", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def by_dask(folder: Path, cluster: Any) -> dict[str, Any]:
    for graph in small():
        berge.maximum_matching(graph, cluster=cluster, prove=True)
    solve = partial(berge.maximum_matching, str(folder), cluster=cluster, prove=True)
    found = in_turns({"": solve}, 3, warm_up=False)[""]
    m = found.told
    assert m.stats is not None
    steps = ("halo", "init", "search", "graft", "gathered", "exchange")
    return {
        "solve": sum(m.stats.seconds.get(step, 0.0) for step in steps),
        "cardinality": m.cardinality,
        "proved": m.certificate is not None,
        "exchanges": m.stats.cluster["exchanges"],
        "bytes": m.stats.cluster["bytes"],
        "phases": m.stats.phases,
        "seconds": found.best,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--engine", choices=["mpi", "dask"], default="mpi")
    parser.add_argument("--parts", type=lambda text: [int(n) for n in text.split(",")], default=[2])
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--on-ranks", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.on_ranks:
        on_ranks(options.on_ranks)
        return
    clusters: dict[int, Any] = {}
    if options.engine == "dask":
        from distributed import Client, LocalCluster

        for parts in options.parts:
            clusters[parts] = Client(LocalCluster(n_workers=parts, threads_per_worker=1))
    names = "graph,rows,edges,matching,parts,local,phases,exchanges,MB,seconds,of that,alone"
    print(*("", *names.split(","), ""), sep=" | ")
    print(*("", *["---"] * (names.count(",") + 1), ""), sep="|")
    for graph in small():
        berge.maximum_matching(graph, threads=1)  # compiled
    for name, make in graphs(int(options.rows)).items():
        if options.names and name not in options.names:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            graph, folder = make(), Path(temporary, "graph.berge")
            berge.write(graph, folder)
            anew = iter([fresh(graph) for _ in range(3)])
            solve = lambda: berge.maximum_matching(next(anew), threads=1)  # noqa: B023, E731
            alone = in_turns({"": solve}, 3, warm_up=False)[""]
            m = alone.told
            size = f"{graph.n_rows:,} | {graph.nnz:,} | {m.cardinality:,}"
            del graph
            for parts in options.parts:
                facts = by_dask(folder, clusters[parts]) if clusters else by_mpi(folder, parts)
                assert facts["cardinality"] == m.cardinality
                assert facts["proved"]
                local = f"{facts['local']:.0%}" if "local" in facts else ""
                solved = f"{facts['solve']:.3f}" if "solve" in facts else ""
                print(
                    f"| {name} | {size} | {parts} | {local} | {facts['phases']} "
                    f"| {facts['exchanges']:,} | {facts['bytes'] / 1e6:,.1f} "
                    f"| {facts['seconds']:.3f} | {solved} | {alone.best:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
