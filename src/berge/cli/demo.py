"""``berge demo``: two sparse matrices, solved, proved, and put to scipy as well."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from ..errors import BergeError
from ..wording import in_seconds
from .display import out, plain_table, plural, working
from .options import seconds
from .program import command

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..graphs.graph import BipartiteGraph

__all__ = ["demo"]

# Reads, says so, then solves: the clock is for the solving alone. Ends by itself, too: a parent
# that is killed cannot end it.
_SCIPY = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
if hasattr(signal, "alarm"):
    signal.alarm(int(sys.argv[2]))
from scipy.io import mmread
from scipy.sparse.csgraph import maximum_bipartite_matching
matrix = mmread(sys.argv[1]).tocsr()
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
    story: str
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
              show_default=True, help="Seconds after which scipy is stopped.")  # fmt: skip
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
    cases = [
        _Case(
            "maze",
            "A maze of dead ends",
            "a search that forgets them tries 2⁴⁰ ways",
            lambda: layered(40),
        ),
        _Case(
            "streets",
            "A street network",
            f"{size} × {size} crossings, a fifth of the streets missing, in random order",
            lambda: permute(road(size, size, drop=0.2, subdivide=0.1), seed=1),
        ),
    ]
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        for case in cases:
            case.path = Path(folder, f"{case.name}.mtx")
        _rehearse(cases, console)
        for number, case in enumerate(cases, 1):
            console.print(f"\n[bold]{number}. {case.title}[/bold]: {case.story}")
            _solve(case, console)
        if no_scipy:
            return
        with working(f"waiting for scipy, {in_seconds(scipy_limit)} at most"):
            _ask_scipy(cases, scipy_limit)
    console.print("\n[bold]scipy's maximum_bipartite_matching[/bold] on the same files")
    console.print(_comparison(cases, scipy_limit))


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

    write(case.make(), case.path)
    started = time.perf_counter()
    graph = read(case.path)
    seconds = time.perf_counter() - started
    edges = plural(graph.nnz, "edge")
    _tell(console, "read", f"{graph.n_rows:,} rows × {graph.n_cols:,} columns, {edges}", seconds)

    matching = maximum_matching(graph)
    stats = matching.stats
    assert stats is not None
    case.cardinality, case.seconds = matching.cardinality, stats.seconds["total"]
    _tell(
        console,
        "start",
        f"{stats.init} matches {stats.start_cardinality:,} of {graph.n_rows:,} rows",
        stats.seconds["init"],
    )
    after = case.seconds - stats.seconds["init"]
    if stats.phases:
        found = plural(stats.augmenting_paths, "augmenting path")
        if stats.augmenting_paths:
            found += f" of up to {plural(stats.longest_path, 'edge')}"
        threads = plural(stats.threads, "thread")
        text = f"{stats.algorithm} on {threads}: {plural(stats.phases, 'phase')}, {found}"
    else:
        text = "nothing left to search"
    _tell(console, "search", text, after)
    kind = "perfect" if matching.is_perfect else "maximum"
    _tell(console, "matched", f"[bold]{matching.cardinality:,}[/bold]: {kind}", case.seconds)

    started = time.perf_counter()
    cover = matching.prove(graph)
    rows, cols = int(cover.rows.sum()), int(cover.cols.sum())
    _tell(
        console,
        "proof",
        f"{plural(rows, 'row')} and {plural(cols, 'column')} touch every edge, and every matched "
        f"pair needs one of them: [green]no matching has more than {cover.size:,}[/green]",
        time.perf_counter() - started,
    )


def _tell(console: Console, step: str, text: str, seconds: float) -> None:
    from rich.table import Table

    line = Table.grid(padding=(0, 2, 0, 0), expand=False)
    line.add_column(style="cyan", width=9, justify="right")
    line.add_column(width=8, justify="right", style="dim")
    line.add_column()
    line.add_row(step, in_seconds(seconds), text)
    console.print(line)


def _ask_scipy(cases: list[_Case], limit: float) -> None:
    """Let scipy solve all cases at the same time, one process each, until the limit."""
    children = [_start_scipy(case.path, limit) for case in cases]
    try:
        for child in children:
            _stdout(child).readline()  # it has read its file
        deadline = time.perf_counter() + limit
        while time.perf_counter() < deadline and any(child.poll() is None for child in children):
            time.sleep(0.02)
        for case, child in zip(cases, children, strict=True):
            if child.poll() is None:
                continue
            words = _stdout(child).read().split()
            if not words:
                raise BergeError(f"scipy broke off with exit code {child.returncode}")
            case.scipy_cardinality, case.scipy_seconds = int(words[0]), float(words[1])
    finally:
        for child in children:
            child.kill()
            child.wait()
            _stdout(child).close()


def _start_scipy(path: Path, limit: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _SCIPY, str(path), str(int(limit) + 60)],
        stdout=subprocess.PIPE,
        text=True,
    )


def _stdout(child: subprocess.Popen[str]) -> IO[str]:
    assert child.stdout is not None
    return child.stdout


def _comparison(cases: list[_Case], limit: float) -> Table:
    table = plain_table("berge", "scipy", first="")
    table.add_column("", no_wrap=True)
    for case in cases:
        table.add_row(case.name, in_seconds(case.seconds), *_scipy_cells(case, limit))
    return table


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
