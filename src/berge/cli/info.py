"""``berge info``: what a graph looks like, before anything is solved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .display import bar, fact_table, in_bytes, out, plural, working
from .options import as_json, graph_file, print_json, read_graph, read_options
from .program import Command, examples

if TYPE_CHECKING:
    from rich.table import Table

    from ..graph import BipartiteGraph, IndexArray

__all__ = ["info"]

_WORK_BYTES = 30  # that a solve takes for each row and for each column, besides the graph


@click.command(
    cls=Command,
    short_help="Show sizes, degrees and memory of a graph.",
    epilog=examples("berge info web.mtx", "berge info edges.csv --base 1 --json"),
)
@graph_file
@read_options
@as_json
def info(file: Path, form: str | None, base: str, as_json: bool) -> None:
    """Show sizes, degrees, duplicates and symmetry of the graph in FILE.

    Duplicates count once in the density. A solve needs the memory for the graph, its transpose and
    the search.
    """
    with working("reading"):
        graph = read_graph(file, form, base)
    with working("counting"):
        facts = {"file": str(file), **_facts(graph)}
    if as_json:
        print_json(facts)
        return
    console = out()
    console.print(fact_table(_table(facts), title=str(file)))
    console.print()
    console.print(_histogram(facts, console.width))


def _facts(graph: BipartiteGraph) -> dict[str, Any]:
    import numpy as np

    once = graph.without_duplicates()
    cells = graph.n_rows * graph.n_cols
    mirrored = once.T
    symmetric = graph.n_rows == graph.n_cols and (
        np.array_equal(once.indptr, mirrored.indptr)
        and np.array_equal(once.indices, mirrored.indices)
    )
    index = graph.indices.itemsize
    graph_bytes = graph.indptr.nbytes + graph.indices.nbytes
    transpose_bytes = (graph.n_cols + 1) * graph.indptr.itemsize + graph.indices.nbytes
    # What is 30 bytes for indices of 4 bytes is 60 for those of 8.
    work_bytes = (graph.n_rows + graph.n_cols) * _WORK_BYTES * index // 4
    return {
        "rows": graph.n_rows,
        "cols": graph.n_cols,
        "edges": graph.nnz,
        "duplicates": graph.nnz - once.nnz,
        "density": once.nnz / cells if cells else 0.0,
        "symmetric": symmetric,
        "row_degrees": _degrees(graph.row_degrees),
        "col_degrees": _degrees(graph.col_degrees),
        "index_bytes": index,
        "graph_bytes": graph_bytes,
        "solve_bytes": graph_bytes + transpose_bytes + work_bytes,
    }


def _degrees(degrees: IndexArray) -> dict[str, Any]:
    """Describe the degrees; ``histogram[b]`` of them are from 2ᵇ to 2ᵇ⁺¹ − 1."""
    import numpy as np

    # frexp gives the exponent exactly, where log2 may round up.
    exponents = np.frexp(degrees[degrees > 0].astype(np.float64))[1] - 1
    return {
        "min": int(degrees.min()) if degrees.size else 0,
        "average": float(degrees.mean()) if degrees.size else 0.0,
        "max": int(degrees.max(initial=0)),
        "isolated": int(np.count_nonzero(degrees == 0)),
        "histogram": np.bincount(exponents).tolist(),
    }


def _table(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "graph", f"{plural(facts['rows'], 'row')} × {plural(facts['cols'], 'column')}"
    duplicates = f", {facts['duplicates']:,} of them duplicates" if facts["duplicates"] else ""
    yield "edges", f"{facts['edges']:,}{duplicates}"
    yield "density", f"{facts['density']:.3g}"
    if facts["rows"] == facts["cols"]:
        yield "symmetric", "yes" if facts["symmetric"] else "no"
    for name, side in (("row", "row_degrees"), ("column", "col_degrees")):
        d = facts[side]
        yield f"{name} degrees", f"{d['min']:,} … {d['max']:,}, average {d['average']:.3g}"
    rows, cols = facts["row_degrees"]["isolated"], facts["col_degrees"]["isolated"]
    yield "isolated", f"{plural(rows, 'row')}, {plural(cols, 'column')}"
    solve, graph = in_bytes(facts["solve_bytes"]), in_bytes(facts["graph_bytes"])
    yield "memory", f"about {solve} for a solve, {graph} of it the graph"


def _histogram(facts: dict[str, Any], width: int) -> Table:
    """Draw how many vertices have which degree, in steps of powers of two."""
    from rich.table import Table
    from rich.text import Text

    sides = [facts["row_degrees"], facts["col_degrees"]]
    counts = [[d["isolated"], *d["histogram"]] for d in sides]
    length = max(map(len, counts))
    for column in counts:
        column += [0] * (length - len(column))
    labels = ["0", "1"] + [f"{2**b:,}–{2 ** (b + 1) - 1:,}" for b in range(1, length - 1)]
    rows = list(zip(labels, *counts, strict=False))
    while rows and not any(rows[0][1:]):
        del rows[0]
    most = max(1, *counts[0], *counts[1])
    digits = len(f"{most:,}")
    texts = max(6, *map(len, labels)) + max(digits, len("rows")) + max(digits, len("columns"))
    bars = min(max((width - texts - 8) // 2, 1), 24)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("degree", justify="right", style="cyan", no_wrap=True)
    for name in ("rows", "columns"):
        table.add_column(name, justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
    for label, *pair in rows:
        cells = [c for n in pair for c in (f"{n:,}" if n else "", Text(bar(n / most, bars)))]
        table.add_row(label, *cells)
    return table
