"""``berge gpu-check``: everything that runs on a GPU, run there and proved."""

from __future__ import annotations

import json
import platform
import time
import traceback
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import click

from ..errors import BergeError
from ..wording import plural
from .display import out, plain_table, working
from .program import command, say

if TYPE_CHECKING:
    from ..graphs.graph import BipartiteGraph, Graph

SIMULATOR = "numba's simulator"
BEGUN: dict[str, Any] = {"status": "not ended", "seconds": []}


@command(
    "berge gpu-check",
    "berge gpu-check -o my-gpu.json",
    "berge gpu-check --device cpu",
)
@click.option("-o", "--output", default="gpu-check.json", help="File for all that was found.")
@click.option("--small", is_flag=True, help="Small graphs only.")
@click.option("--device", type=click.Choice(["cuda", "cpu"]), default="cuda", help="Where to run.")
@click.pass_context
def gpu_check(ctx: click.Context, output: str, small: bool, device: str) -> None:
    """Run every algorithm for GPUs on small and large graphs, and prove every answer.

    Prints a table, and writes it to a file with the versions, the errors, and the GPU's name. A
    graph is matched twice: the first time with compiling, the second without. The answers are
    proved on the CPU. berge has not been run on a GPU by those who wrote it. They would like to see
    the file, whether all went well or not. It is written after every run: if one of them hangs, the
    last line says which.

    Ends with an error if any answer was wrong or missing. --device cpu tries the command itself.
    """
    from ..compile.devices import open_device
    from ..files.files import replacing

    open_device(device)  # says what is missing
    facts: dict[str, Any] = {"machine": _machine(device), "runs": []}
    graphs = list(_graphs(small, simulated=facts["machine"].get("gpu") == SIMULATOR))

    def note() -> None:
        with replacing(output) as file:
            file.write(json.dumps(facts, indent=1).encode())

    with working("compiling") as tell:
        for name, solve in _variants(device):
            for graph, make in graphs:
                tell(f"{name} on {graph}")
                facts["runs"].append(run := {"algorithm": name, "graph": graph, **BEGUN})
                note()
                run |= _run(solve, make)
                note()
    _show(facts["runs"])
    failed = sum(run["status"] != "proved" for run in facts["runs"])
    count = plural(len(facts["runs"]), "run")
    if failed:
        say("failed", "red", f"{failed} of {count}; the errors are in {output}: please send it")
        ctx.exit(1)
    say("proved", "green", f"{count}; all that was found is in {output}: please send it")


def _variants(device: Any) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield what runs on GPUs: a name, and what matches a graph and proves that."""
    from ..methods.registry import algorithms, variants
    from ..results.proof import verify
    from ..solve.greedy import greedy_matching
    from ..solve.maximum import maximum_matching

    for algorithm in variants("exact"):
        if "cuda" in algorithm.devices:
            for more in ({}, {"statistics": "on"}) if algorithm.name == "g-pr-shr" else ({},):

                def exact(graph: Any, name: Any = algorithm.name, more: Any = more) -> Any:
                    init: Any = "none" if graph.nnz < 10_000 else "cheap"
                    matching = maximum_matching(
                        graph, algorithm=name, init=init, device=device, **more
                    )
                    matching.prove(graph)
                    return matching.stats

                yield " ".join((algorithm.name, *more)), exact
    for method in algorithms("greedy"):
        if "cuda" in method.devices:

            def greedy(graph: Any, name: Any = method.name) -> None:
                general = _as_general(graph)
                verify(general, greedy_matching(general, method=name, device=device))

            yield f"greedy {method.name}", greedy


def _as_general(graph: BipartiteGraph) -> Graph:
    """Return the same edges between vertices of one kind."""
    import numpy as np

    from ..graphs.graph import Graph

    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    return Graph.from_edges(rows, graph.n_rows + graph.indices, sum(graph.shape))


def _graphs(small: bool, simulated: bool) -> Iterator[tuple[str, Callable[[], BipartiteGraph]]]:
    """Yield graphs by name: some that have little of anything, and large ones of three kinds.

    numba's simulator, where a thread is one of Python's, gets tiny ones.
    """
    from .. import generate

    yield "one edge", lambda: generate.complete(1, 1)
    if simulated:
        yield "chain of 12", lambda: generate.permute(generate.chain(12), seed=1)
        yield "random, 20", lambda: generate.erdos_renyi(20, 18, 40, seed=1)
        return
    yield "chain of 300", lambda: generate.permute(generate.chain(300), seed=1)
    yield "random, 500", lambda: generate.erdos_renyi(500, 450, 1200, seed=1)
    yield "few columns", lambda: generate.erdos_renyi(700, 40, 2000, seed=1)
    if not small:
        yield "random, 10⁶", lambda: generate.erdos_renyi(10**6, 10**6, 3 * 10**6, seed=1)
        yield "mesh, 10⁶", lambda: generate.permute(generate.grid(1000, 1000), seed=1)
        yield "social, 2¹⁸", lambda: generate.rmat(18, 8, seed=1)


def _run(solve: Callable[[Any], Any], make: Callable[[], BipartiteGraph]) -> dict[str, Any]:
    """Match a graph twice; return the seconds of each, and what happened."""
    graph, seconds = make(), []
    try:
        for _ in range(2):
            began = time.perf_counter()
            stats = solve(graph)
            seconds.append(round(time.perf_counter() - began, 4))
    except Exception as error:
        status = "wrong" if isinstance(error, BergeError) else "error"
        return {"status": status, "seconds": seconds, "error": traceback.format_exc()}
    found: dict[str, Any] = {"status": "proved", "seconds": seconds}
    if stats is not None:
        found |= {"steps": stats.seconds, "phases": stats.phases, "levels": stats.levels}
    return found


def _machine(device: str) -> dict[str, Any]:
    """Return what runs this: versions, and the GPU's name and size."""
    facts: dict[str, Any] = {"python": platform.python_version(), "system": platform.platform()}
    for package in ("berge", "numba", "numba-cuda", "cuda-bindings", "numpy"):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = None
    if device == "cuda":
        from ..compile.cuda import describe

        facts |= describe()
    return facts


def _show(runs: list[dict[str, Any]]) -> None:
    """Print a line a variant, a column a graph: the seconds of the second run, or what failed."""
    graphs = list(dict.fromkeys(run["graph"] for run in runs))
    table = plain_table(*graphs, first="seconds")
    cells: dict[str, list[str]] = {}
    for run in runs:
        good = run["status"] == "proved"
        cells.setdefault(run["algorithm"], []).append(
            f"{run['seconds'][-1]:.3g}" if good else run["status"]
        )
    for name, line in cells.items():
        table.add_row(name, *line)
    out().print(table)
