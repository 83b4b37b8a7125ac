"""Graphs in parts: exchanges, bytes and seconds, beside the same graph on one machine.

    python lab/benchmarks/in_parts.py [--engine mpi|dask] [--parts 2] [--rows 1e6] [NAME …]

Each graph is written as a .berge folder, of which the parts read their slices. "alone" is the
default of one machine on one thread. "seconds" is the whole of `match_part` on the parts, without
reading, best of three; kernels are loaded before, by a run on a small graph. On Dask it is the
whole call on a cluster that is up. Every matching is proved where it lies, and the cardinality
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
        return found.told | {"seconds": found.best}

    for graph in (generate.road(20, 20), generate.rmat(8, 8)):
        best(Part.from_graph(graph, comm.rank, comm.size), 1)
    part = Part.from_folder(folder, comm.rank, comm.size)
    facts = best(part, 3)
    if comm.rank == 0:
        print(json.dumps(facts))


def by_mpi(folder: Path, parts: int) -> dict[str, Any]:
    command = [MPIEXEC, "-n", str(parts), sys.executable, __file__, "--on-ranks", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def by_dask(folder: Path, cluster: Any) -> dict[str, Any]:
    berge.maximum_matching(generate.road(20, 20), cluster=cluster)
    solve = partial(berge.maximum_matching, str(folder), cluster=cluster, prove=True)
    found = in_turns({"": solve}, 1, warm_up=False)[""]
    m = found.told
    assert m.stats is not None
    return {
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
    parser.add_argument("--parts", type=int, default=2)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--on-ranks", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.on_ranks:
        on_ranks(options.on_ranks)
        return
    cluster = None
    if options.engine == "dask":
        from distributed import Client, LocalCluster

        cluster = Client(LocalCluster(n_workers=options.parts, threads_per_worker=1))
    print(f"{options.parts} parts by {options.engine}\n")
    print("| graph | rows | edges | matching | local | phases | exchanges | MB | seconds | alone |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    berge.maximum_matching(generate.road(20, 20))  # compiled
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
            if cluster is not None:
                facts = by_dask(folder, cluster)
            else:
                facts = by_mpi(folder, options.parts)
        assert facts["cardinality"] == m.cardinality
        assert facts["proved"]
        local = f"{facts['local']:.0%}" if "local" in facts else ""
        print(
            f"| {name} | {graph.n_rows:,} | {graph.nnz:,} | {m.cardinality:,} | {local} "
            f"| {facts['phases']} | {facts['exchanges']:,} | {facts['bytes'] / 1e6:,.1f} "
            f"| {facts['seconds']:.2f} | {alone.best:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
