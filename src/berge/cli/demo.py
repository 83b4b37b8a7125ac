"""``berge demo``: two sparse matrices, solved, proved, and put to scipy as well."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import BergeError
from ..results.under_way import UnderWay
from ..wording import in_seconds, plural
from .display import graph_sizes, out, plain_table, working
from .options import seconds
from .program import command

if TYPE_CHECKING:
    from rich.console import Console

    from ..graphs.graph import BipartiteGraph

# Reads, says so, then solves: the clock is for the solving alone. Ends by itself, too: a parent
# that is killed cannot end it.
_SCIPY = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
if hasattr(signal, "alarm"):
    signal.alarm(int(sys.argv[1]))
from scipy.sparse.csgraph import maximum_bipartite_matching
from berge import read
matrix = read(sys.argv[2]).to_scipy()
print("ready", flush=True)
started = time.perf_counter()
cardinality = int((maximum_bipartite_matching(matrix, perm_type="column") >= 0).sum())
print(cardinality, time.perf_counter() - started, flush=True)
"""


@dataclass
class _Case:
    """A graph of the demonstration and how it went."""

    name: str
    title: str
    make: Callable[[], BipartiteGraph]
    path: Path = Path()
    cardinality: int = 0
    seconds: float = 0.0
    scipy_seconds: float | None = None  # None: no answer within the limit
    scipy_cardinality: int | None = None


@command(
    "berge demo",
    "berge demo --scipy-limit 60",
    "berge demo --no-scipy",
)
@click.option("--scipy-limit", type=float, callback=seconds, metavar="SECONDS", default=10.0,
              help="Seconds after which scipy is stopped.")  # fmt: skip
@click.option("--no-scipy", is_flag=True, help="Leave scipy out.")
@click.option("--size", type=click.IntRange(min=2), default=500, hidden=True)
def demo(scipy_limit: float, no_scipy: bool, size: int) -> None:
    """Read two sparse matrices, find and prove their maximum matchings, and compare with scipy.

    Both are chosen because scipy is slow on them. The first is tiny and built to mislead searches
    that forget dead ends. The second looks like a street network of 290,000 places, in random
    order. scipy's maximum_bipartite_matching gets the same files, a process and a core each.
    """
    from ..generate import layered, permute, road

    console = out()
    maze = "[bold]A maze of dead ends[/bold]: a search that forgets them tries 2⁴⁰ ways"
    streets = f"{size} × {size} crossings, a fifth of the streets missing, in random order"
    cases = [
        _Case("maze", maze, lambda: layered(40)),
        _Case(
            "streets",
            f"[bold]A street network[/bold]: {streets}",
            lambda: permute(road(size, size, drop=0.2, subdivide=0.1), seed=1),
        ),
    ]
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        for case in cases:
            case.path = Path(folder, f"{case.name}.mtx")
        _rehearse(cases, console)
        for number, case in enumerate(cases, 1):
            console.print(f"\n[bold]{number}.[/bold] {case.title}")
            _solve(case, console)
        if no_scipy:
            return
        with working(f"waiting for scipy, {in_seconds(scipy_limit)} at most"):
            _ask_scipy(cases, scipy_limit)
    console.print("\n[bold]scipy's maximum_bipartite_matching[/bold] on the same files")
    table = plain_table("berge", "scipy", first="")
    table.add_column("", no_wrap=True)
    for case in cases:
        table.add_row(case.name, in_seconds(case.seconds), *_scipy_cells(case, scipy_limit))
    console.print(table)


def _rehearse(cases: list[_Case], console: Console) -> None:
    """Solve all cases unseen, so that the kernels are there."""
    from rich.console import Console

    from .warmup import warm_up

    console.print("Getting ready: a machine's first run compiles for up to a minute.", style="dim")
    unseen = Console(quiet=True)

    def solve_all() -> None:
        for case in cases:
            _solve(case, unseen)

    took, compiled = warm_up(solve_all)
    had = plural(compiled, "function") + " compiled" if compiled else "all was in the cache"
    console.print(f"Ready after {in_seconds(took)}: {had}.", style="dim")


def _solve(case: _Case, console: Console) -> None:
    """Do what `berge match` does, and tell it."""
    from ..files import read, write
    from ..solve.maximum import maximum_matching

    def tell(step: str, seconds: float, text: str) -> None:
        table = plain_table(show_header=False)
        table.add_column(style="cyan", width=9, justify="right")
        table.add_column(style="dim", width=8, justify="right")
        table.add_column()
        table.add_row(step, in_seconds(seconds), text)
        console.print(table)

    write(case.make(), case.path)
    clock = UnderWay()
    with clock.timed("read"):
        graph = read(case.path)
    sizes = {"rows": graph.n_rows, "cols": graph.n_cols, "edges": graph.nnz}
    tell("read", clock.seconds["read"], graph_sizes(sizes))
    matching = maximum_matching(graph)
    stats = matching.stats
    assert stats is not None
    case.cardinality, case.seconds = matching.cardinality, stats.seconds["total"]
    begun = f"{stats.init} matches {stats.start_cardinality:,} of {graph.n_rows:,} rows"
    tell("start", stats.seconds["init"], begun)
    searched = "nothing left to search"
    if stats.phases:
        found = plural(stats.augmenting_paths, "augmenting path")
        if stats.augmenting_paths:
            found += f" of up to {plural(stats.longest_path, 'edge')}"
        threads = plural(stats.threads, "thread")
        searched = f"{stats.algorithm} on {threads}: {plural(stats.phases, 'phase')}, {found}"
    tell("search", case.seconds - stats.seconds["init"], searched)
    kind = "perfect" if matching.is_perfect else "maximum"
    tell("matched", case.seconds, f"[bold]{matching.cardinality:,}[/bold]: {kind}")
    with clock.timed("prove"):
        cover = matching.prove(graph)
    rows, cols = plural(int(cover.rows.sum()), "row"), plural(int(cover.cols.sum()), "column")
    tell(
        "proof",
        clock.seconds["prove"],
        f"{rows} and {cols} touch every edge, and every matched pair needs one of them: "
        f"[green]no matching has more than {cover.size:,}[/green]",
    )


def _ask_scipy(cases: list[_Case], limit: float) -> None:
    """Let scipy solve all cases at the same time, one process each, until the limit."""
    command = [sys.executable, "-c", _SCIPY, str(int(limit) + 60)]
    with ExitStack() as stack:
        children = []
        for case in cases:
            child = subprocess.Popen([*command, case.path], stdout=subprocess.PIPE, text=True)
            children.append(stack.enter_context(child))
            stack.callback(child.kill)
        outputs: list[Any] = [child.stdout for child in children]
        for output in outputs:
            output.readline()  # it has read its file
        deadline = time.perf_counter() + limit
        for case, child, output in zip(cases, children, outputs, strict=True):
            with suppress(subprocess.TimeoutExpired):
                child.wait(max(deadline - time.perf_counter(), 0))
                words = output.read().split()
                if not words:
                    raise BergeError(f"scipy broke off with exit code {child.returncode}")
                case.scipy_cardinality, case.scipy_seconds = int(words[0]), float(words[1])


def _scipy_cells(case: _Case, limit: float) -> tuple[str, str]:
    """Return what scipy did, and the ratio in words that claim no more than was measured."""
    if case.scipy_seconds is None:
        ratio = limit / case.seconds
        return f"no answer within {in_seconds(limit)}", f"over {_rounded(ratio)}×"
    if case.scipy_cardinality != case.cardinality:
        return in_seconds(case.scipy_seconds), f"found {case.scipy_cardinality:,}!"
    ratio = case.scipy_seconds / case.seconds
    if ratio >= 1:
        return in_seconds(case.scipy_seconds), f"{ratio:.3g}× as long"
    return in_seconds(case.scipy_seconds), f"scipy is {1 / ratio:.3g}× faster"


def _rounded(ratio: float) -> str:
    """Return a ratio rounded down to two digits, so that "over" is true."""
    whole = int(ratio)
    unit = 10 ** max(len(str(whole)) - 2, 0)
    return f"{whole // unit * unit:,}"
