"""``berge info``: what a graph looks like, before anything is solved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile, zip_longest
from typing import TYPE_CHECKING, Any

import click

from ..wording import in_bytes, plural
from . import options
from .display import bar, plain_table, report, sides, working
from .program import command

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..graphs.graph import BipartiteGraph, IndexArray

_BLOCKS = 16  # of text, to estimate the number of lines by


@command(
    "berge info web.mtx",
    "berge info edges.csv --base 1 --json",
    "berge info huge.mtx.gz --head",
    "berge info huge.berge --check",
)
@options.graph_file
@options.parquet_columns
@click.option("--head", is_flag=True, help="Read nothing but the head of the file.")
@click.option("--check", is_flag=True, help="Compare the checksums of a .berge folder.")
@options.as_json
def info(file: options.GraphFile, head: bool, check: bool, as_json: bool) -> None:
    """Show sizes, degrees, duplicates and symmetry of the graph in FILE.

    Duplicates count once in the density. A solve needs the memory for the graph, its transpose and
    the search; or, out of core, for the vertices and some edges, with the graph in a .berge folder.

    If FILE does not fit in memory, or with --head, only its head is read. That tells what memory
    and disk it takes to convert and to solve it.
    """
    sizes = _sizes(file)
    checked = _check(file) if check else {}
    if head or (sizes is not None and sizes["edges"] is not None and not _fits(sizes)):
        if sizes is None:
            file.path.stat()  # or else it is not there
            raise click.UsageError(f"{str(file)!r} has no head that tells its sizes")
        facts, lines, more = sizes | _needs(sizes), _head_lines, None
    else:
        with working("reading"):
            graph = file.read()
        with working("counting"):
            facts, lines, more = _facts(graph), _lines, _histogram
    report({"file": file.path, **facts, **checked}, lines, file, as_json=as_json, more=more)


def _sizes(file: options.GraphFile) -> dict[str, Any] | None:
    """Return what the head of a file says, None if it has none; numbers that it lacks are None."""
    from ..files.folder import Folder

    if file.format == "folder":
        folder = Folder(file.path)
        return {"rows": folder.n_rows, "cols": folder.n_cols, "edges": folder.nnz, "convert": False}
    stream = file.stream() if file.path.exists() else None
    if stream is None:
        return None
    rows, cols = stream.shape or (None, None)
    sizes = {"rows": rows, "cols": cols, "edges": stream.edges, "convert": True}
    if file.format == "edge-list" and stream.edges is None:
        sizes["estimated_edges"] = _lines_of(file)
    return sizes


def _lines_of(file: options.GraphFile) -> int | None:
    """Return about how many lines a text has, by the length of some, here and there."""
    from ..files.files import plain_size

    size = plain_size(file.path)
    if size is None:
        return None  # compressed
    found = length = 0
    with open(file.path, "rb") as text:
        for k in range(_BLOCKS):  # numbers may be longer at the end
            text.seek(size * k // _BLOCKS)
            block = text.read(1 << 13)
            found, length = found + block.count(b"\n"), length + len(block)
    return round(size * max(found, 1) / length) if length else 0


def _fits(sizes: dict[str, Any]) -> bool:
    """Tell whether the graph can be read, and its degrees counted, in memory."""
    from ..graphs.memory import available, solve_bytes

    shape = sizes["rows"] or 0, sizes["cols"] or 0
    # A text file is two arrays of ends first.
    return max(solve_bytes(shape, sizes["edges"]), 24 * int(sizes["edges"])) < available()


def _check(file: options.GraphFile) -> dict[str, bool]:
    """Compare the checksums; return only if they are all right."""
    from ..files.folder import Folder, is_folder

    if not is_folder(file.path):
        raise click.UsageError("--check compares the checksums of .berge folders")
    with working("checking"):
        Folder(file.path, check=True)
    return {"checksums": True}


def _needs(sizes: dict[str, Any]) -> dict[str, Any]:
    """Return the memory and the disk that it takes to convert and to solve."""
    from ..files.convert import DEFAULT_MEMORY, disk_bytes
    from ..graphs.memory import available, out_of_core_bytes, solve_bytes

    rows, cols, edges = sizes["rows"], sizes["cols"], sizes["edges"]
    folder = solve = out_of_core = disk = None
    if edges is not None and rows is not None:
        index = 4 if max(rows, cols) < 2**31 else 8
        folder = 8 * (rows + 1) + index * edges
        solve, out_of_core = (
            solve_bytes((rows, cols), edges),
            out_of_core_bytes((rows, cols), edges),
        )
        disk = disk_bytes(edges, index) + folder if sizes.get("convert") else None
    elif (about := sizes.get("estimated_edges") if edges is None else edges) is not None:
        disk = 12 * about  # runs and result, with 32-bit indices
    needs = {"folder_bytes": folder, "solve_bytes": solve, "out_of_core_bytes": out_of_core}
    convert = {} if disk is None else {"convert_bytes": DEFAULT_MEMORY, "convert_disk_bytes": disk}
    return {"available_bytes": available(), **needs, **convert}


def _head_lines(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    def known(name: str) -> str:
        return "?" if facts[name] is None else f"{facts[name]:,}"

    yield "graph", f"{known('rows')} rows × {known('cols')} columns"
    if (about := facts.get("estimated_edges")) is not None:
        yield "edges", f"about {about:,}, by the length of some lines"
    else:
        yield "edges", known("edges") + (" at most" if facts["convert"] else "")
    if "convert_bytes" in facts:
        work, disk = in_bytes(facts["convert_bytes"]), in_bytes(facts["convert_disk_bytes"])
        size = "" if facts["folder_bytes"] is None else f" of {in_bytes(facts['folder_bytes'])}"
        yield "convert", f"to a .berge folder{size}: up to {work} of memory"
        yield "", f"(or what --memory says), {disk} of disk while it runs"
    if facts["solve_bytes"] is not None:
        yield from _memory_lines(facts)
        return
    yield "memory", f"{in_bytes(facts['available_bytes'])} free; what a solve takes is not known:"
    yield "", "the file does not tell its sizes, the .berge folder that it is converted to does"


def _memory_lines(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    solve, graph = in_bytes(facts["solve_bytes"]), in_bytes(facts["folder_bytes"])
    yield "memory", f"about {solve} for a solve, {graph} of it the graph"
    yield "out of core", f"from {in_bytes(facts['out_of_core_bytes'])} on, and {graph} of disk"
    yield "free", f"{in_bytes(facts['available_bytes'])} of memory"
    if facts.get("checksums"):
        yield "checksums", "all right"


def _facts(graph: BipartiteGraph) -> dict[str, Any]:
    import numpy as np

    from ..graphs.graph import Graph
    from ..graphs.sides import sides_of

    once = graph.without_duplicates()
    cells = graph.n_rows * graph.n_cols
    mirrored = once.T
    symmetric = graph.n_rows == graph.n_cols and (
        np.array_equal(once.indptr, mirrored.indptr)
        and np.array_equal(once.indices, mirrored.indices)
    )
    two_sided = None if not symmetric else sides_of(Graph(once.indptr, once.indices)) is not None
    sizes = {"rows": graph.n_rows, "cols": graph.n_cols, "edges": graph.nnz}
    return {
        **sizes,
        "duplicates": graph.nnz - once.nnz,
        "density": once.nnz / cells if cells else 0.0,
        "symmetric": symmetric,
        "bipartite": two_sided,
        "row_degrees": _degrees(graph.row_degrees),
        "col_degrees": _degrees(graph.col_degrees),
        "index_bytes": graph.indices.itemsize,
        "graph_bytes": graph.indptr.nbytes + graph.indices.nbytes,
        **_needs(sizes),
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


def _lines(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "graph", sides(facts)
    duplicates = f", {facts['duplicates']:,} of them duplicates" if facts["duplicates"] else ""
    yield "edges", f"{facts['edges']:,}{duplicates}"
    yield "density", f"{facts['density']:.3g}"
    if facts["rows"] == facts["cols"]:
        yield "symmetric", "yes" if facts["symmetric"] else "no"
    if facts["symmetric"]:
        hint = "no, as a graph: `berge match --general` is for it"
        yield "bipartite", "yes, as a graph" if facts["bipartite"] else hint
    for name, side in (("row", "row_degrees"), ("column", "col_degrees")):
        d = facts[side]
        yield f"{name} degrees", f"{d['min']:,} … {d['max']:,}, average {d['average']:.3g}"
    rows, cols = facts["row_degrees"]["isolated"], facts["col_degrees"]["isolated"]
    yield "isolated", f"{plural(rows, 'row')}, {plural(cols, 'column')}"
    yield from _memory_lines(facts)


def _histogram(facts: dict[str, Any], console: Console) -> Table:
    """Draw how many vertices have which degree, in steps of powers of two."""
    from rich.text import Text

    both = [facts["row_degrees"], facts["col_degrees"]]
    counts = list(zip_longest(*([d["isolated"], *d["histogram"]] for d in both), fillvalue=0))
    labels = ["0", "1"] + [f"{2**b:,}–{2 ** (b + 1) - 1:,}" for b in range(1, len(counts) - 1)]
    rows = dropwhile(lambda row: not any(row[1]), zip(labels, counts, strict=False))
    most = max(1, *map(max, counts))
    digits = len(f"{most:,}")
    texts = max(6, *map(len, labels)) + max(digits, len("rows")) + max(digits, len("columns"))
    bars = min(max((console.width - texts - 8) // 2, 1), 24)
    table = plain_table()
    table.add_column("degree", justify="right", style="cyan", no_wrap=True)
    for name in ("rows", "columns"):
        table.add_column(name, justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
    for label, pair in rows:
        cells = [c for n in pair for c in (f"{n:,}" if n else "", Text(bar(n / most, bars)))]
        table.add_row(label, *cells)
    return table
