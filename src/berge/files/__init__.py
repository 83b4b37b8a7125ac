"""Graphs from files and into files.

The format is known by the suffix; one more suffix .gz, .bz2 or .xz has it compressed.
"""

from __future__ import annotations

import errno
import os
import warnings
from dataclasses import dataclass
from glob import glob, has_magic
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError, GuessWarning, InvalidGraphError, OptionError
from ..graphs.graph import BipartiteGraph, Graph
from ..hints import with_hints
from .aside import in_place
from .files import PathName, damage_reported, open_bytes, split_suffix
from .limits import Limits
from .remote import Source, expand, here, is_open_file, is_url, plain, shown

if TYPE_CHECKING:
    from .suitesparse import fetch as fetch
    from .text import WeightedEdges

__all__ = ["FORMATS", "Format", "Limits", "fetch", "read", "read_graph", "read_weighted", "write"]


@dataclass(frozen=True)
class Format:
    """A file format: `module`, from here, has ``read``, ``read_graph`` and ``write``."""

    name: str
    suffixes: tuple[str, ...]
    title: str
    module: str
    compressible: bool = True
    has_base: bool = False


_EDGES = (".txt", ".tsv", ".csv", ".el", ".edges")
FORMATS = (
    Format("matrix-market", (".mtx",), "Matrix Market, coordinate or array", "matrix_market"),
    Format("edge-list", _EDGES, "a row and a column on each line", "edge_list", has_base=True),
    Format("metis", (".graph", ".metis"), "METIS, a vertex on each line", "metis"),
    Format("hmetis", (".hgr",), "hMETIS, the vertices of a net on each line", "hmetis"),
    Format("dimacs", (".gr",), "DIMACS shortest path or colouring, arcs or edges", "dimacs"),
    Format("npz", (".npz",), "NumPy archive, ours or scipy.sparse's", "npz", compressible=False),
    Format(
        "parquet",
        (".parquet", ".pq", ".feather", ".arrow"),
        "Parquet or Arrow edge list, one file or a folder of Parquet files",
        "parquet",
        compressible=False,
        has_base=True,
    ),
    Format(
        "graphml", (".graphml",), "GraphML, as igraph or networkx read it", ".ingest.named_files"
    ),
    Format("pajek", (".net",), "Pajek, as igraph or networkx read it", ".ingest.named_files"),
    Format("folder", (".berge",), "a folder of CSR arrays", "folder", compressible=False),
)

# What files begin with.
_BEGINNINGS = {
    b"%%MatrixMarket": "matrix-market",
    b"PK\x03\x04": "npz",
    b"PAR1": "parquet",
    b"ARROW1": "parquet",
}

_FOLDERS = (".berge", ".parquet")  # formats that may be, or are, folders


def __getattr__(name: str) -> Any:
    if name != "fetch":
        raise AttributeError(f"module 'berge.files' has no attribute {name!r}")
    return import_module(".suitesparse", __name__).fetch


@with_hints
def read(
    path: Source,
    *,
    format: str | None = None,
    base: int = 0,
    left: str | None = None,
    right: str | None = None,
    limits: Limits | None = None,
) -> BipartiteGraph:
    """Read a graph from a file.

    Parameters
    ----------
    path
        The file: a path, a URL (``https://``, ``s3://``, ``memory://``, …, see docs/frames.md), or
        an open file. A pattern such as ``edges-*.csv`` or ``pairs/*.parquet`` stands for all files
        that it fits, which are one graph.
    format
        Name or suffix of a format (see `FORMATS`), where the file's own suffix does not tell.
    base
        Number of the first row and column in an edge list, of text or in Parquet: 0 or 1. The
        other formats say it themselves.
    left, right
        Names of the columns with the numbers of rows and columns, for Parquet; by default the
        first ones.
    limits
        How much memory it may ask for, how long a line may be, how much a compressed file may
        hold; see `Limits`.

    Raises
    ------
    FormatError
        The suffix is not known, the file does not follow its format, or it is above a limit; names
        the line.
    OSError
        The file cannot be read; a `FetchError` if it is elsewhere.

    Examples
    --------
    >>> import berge, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "edges.csv")
    ...     _ = path.write_text("0,0;0,1;1,1".replace(";", chr(10)))
    ...     berge.read(path)
    BipartiteGraph(2 × 2, 3 edges)

    Notes
    -----
    O(size of the file). Memory: 16 bytes an edge besides the graph; nothing is allocated by what
    a header claims before that is compared with the file.
    """
    names = {"left": left, "right": right}
    graph: BipartiteGraph = _read("read", path, format, base, names, limits=limits)
    return graph


def read_graph(
    path: Source,
    *,
    weights: Any = True,
    format: str | None = None,
    base: int = 0,
    left: str | None = None,
    right: str | None = None,
    limits: Limits | None = None,
) -> Graph:
    """Read an undirected graph from a file; see `read`.

    Its `weights` are those of the file, an array with one for every entry, or none if False. The
    weights of vertices that a METIS file has are always kept.

    Raises
    ------
    FormatError
        Besides what `read` says: the file has no weights, a weight that is none, or a matrix that
        is not square.
    """
    own = weights is True
    try:
        given = None if weights is False else weights
        names = {"left": left, "right": right}
        graph: Graph = _read("read_graph", path, format, base, names, weights=given, limits=limits)
    except InvalidGraphError as error:
        raise FormatError(str(error), shown(path)) from error
    if own and graph.weights is None:
        vertices = "" if graph.vertex_weights is None else "; those of vertices are used anyway"
        raise FormatError(f"the file has no weights of edges{vertices}", shown(path))
    return graph


def read_weighted(
    path: Source,
    *,
    weights: str | None = None,
    format: str | None = None,
    base: int = 0,
    left: str | None = None,
    right: str | None = None,
    limits: Limits | None = None,
) -> WeightedEdges:
    """Read rows, columns, weights as they are, and the shape from a file; see `read`.

    `weights` names a column of a Parquet file. Whole numbers below 2⁵³ in text are integers.

    Raises
    ------
    FormatError
        Besides what `read` says: the file has no weights, or one that is not a finite number.
    """
    named = {} if weights is None else {"weights": weights}
    names = {"left": left, "right": right}
    found: WeightedEdges = _read("read_weighted", path, format, base, names, limits=limits, **named)
    return found


def _read(
    function: str,
    source: Source,
    format: str | None,
    base: int,
    names: dict[str, str | None],
    **settings: Any,
) -> Any:
    form = None if format is None else format_of("", format).name
    if several := _edge_lists(source, form):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GuessWarning)  # of each alone, which is none of all
            parts = [_read(function, path, format, base, names, **settings) for path in several]
        return _joined(function, parts)
    with here(source, settings.get("limits"), form) as path:
        return _read_here(function, path, format, base, names, **settings)


def _edge_lists(source: Source, form: str | None) -> list[str]:
    """Return the edge lists that a pattern fits, if it fits several files."""
    if is_open_file(source) or not has_magic(text := os.fspath(plain(source))):
        return []
    if (form or _by_suffix(text)) != "edge-list" or os.path.lexists(text):
        return []
    found = expand(text) if is_url(text) else sorted(glob(text))
    return found if len(found) > 1 else []


def _by_suffix(path: str) -> str | None:
    suffix = split_suffix(path)[0]
    return next((form.name for form in FORMATS if suffix in form.suffixes), None)


def _joined(function: str, parts: list[Any]) -> Any:
    """Make one of what was read from several files."""
    if function == "read_weighted":
        *arrays, shapes = zip(*parts, strict=True)
        return *map(np.concatenate, arrays), tuple(map(max, zip(*shapes, strict=True)))
    cols = np.concatenate([part.indices for part in parts])
    sizes = [np.diff(part.indptr) for part in parts]
    rows = np.concatenate([np.repeat(np.arange(size.size), size) for size in sizes])
    if function == "read":
        return BipartiteGraph.from_edges(rows, cols, tuple(map(max, *(p.shape for p in parts))))
    weighted = parts[0].weights is not None
    weights = np.concatenate([part.weights for part in parts]) if weighted else None
    return Graph.from_edges(rows, cols, max(part.n_vertices for part in parts), weights)


def _read_here(
    function: str,
    path: PathName,
    format: str | None,
    base: int,
    names: dict[str, str | None],
    **settings: Any,
) -> Any:
    if not (is_url(path) or has_magic(os.fspath(path))):
        os.stat(in_place(path))
    if os.path.isdir(path) and split_suffix(path)[0] not in _FOLDERS and format is None:
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a graph file", os.fspath(path))
    chosen = format_at(path, format)
    check_base(chosen, base)
    if function == "read_weighted":
        if chosen.name not in ("matrix-market", "edge-list", "npz", "parquet"):
            raise FormatError(f"weights are not read from {chosen.name}", path)
        if "weights" in settings and chosen.name != "parquet":
            raise OptionError(
                f"weights name a column of Parquet files, and {os.fspath(path)} is none"
            )
    if names != {"left": None, "right": None}:
        if chosen.name != "parquet":
            raise OptionError(
                f"left and right name columns of Parquet files, and {os.fspath(path)} is none"
            )
        settings |= names
    reader = getattr(import_module(f".{chosen.module}", __name__), function)
    found = reader(path, **({"base": base} if chosen.has_base else {}), **settings)
    if function == "read_weighted":
        rows, cols, values, shape = found
        missing = np.isnan(values) if values.dtype.kind in "fc" else np.zeros(0, np.bool_)
        if missing.any():
            k = int(missing.argmax())
            wrong = f"the weight of row {rows[k]} and column {cols[k]} is not a number"
            raise FormatError(wrong, shown(path))
        if chosen.name not in ("matrix-market", "edge-list"):
            return found
        whole = bool((values == np.rint(values)).all() and np.abs(values).max(initial=0) < 2**53)
        return rows, cols, values.astype(np.int64) if whole else values, shape
    return found


def check_base(form: Format, base: int) -> None:
    """Refuse a base that is none, or one for a format that has a base of its own."""
    if not isinstance(base, int) or base not in (0, 1):
        raise OptionError(f"base must be 0 or 1, not {base!r}")
    if base and not form.has_base:
        raise OptionError(f"base={base}, but the format {form.name} has a base of its own")


@with_hints
def write(graph: BipartiteGraph, path: PathName, *, format: str | None = None) -> None:
    """Write a graph to a file; labels are not written.

    The file appears under its name only when all of it is written.

    Parameters
    ----------
    graph
        What to write.
    path
        Where; the suffix tells the format and the compression. A URL, but of http, is written to
        when all of it is there.
    format
        Name or suffix of a format (see `FORMATS`), where the path's suffix does not tell.

    Examples
    --------
    >>> import berge, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     berge.write(berge.BipartiteGraph([0, 1, 2], [1, 0], (2, 2)), f"{folder}/swap.mtx.gz")
    ...     berge.read(f"{folder}/swap.mtx.gz")
    BipartiteGraph(2 × 2, 2 edges)

    Notes
    -----
    O(size of the file), a few MB of memory.
    """
    if not isinstance(graph, BipartiteGraph):
        raise InvalidGraphError(
            f"write takes a BipartiteGraph (as_bipartite makes one), not {type(graph).__name__}"
        )
    chosen = format_of(path, format)
    import_module(f".{chosen.module}", __name__).write(graph, plain(path))


def format_at(path: PathName, format: str | None = None) -> Format:
    """Return the format of a file that is there: what it begins with tells where its name does not.

    Of text that is not further told apart, edge lists, only Matrix Market is known by its banner.
    """
    if format is None and os.path.isfile(path):
        suffix = split_suffix(path)[0]
        known = {suffix for form in FORMATS for suffix in form.suffixes}
        if suffix not in known - {".txt"} | {".xlsx", ".ods"}:
            with damage_reported(path), open_bytes(path) as file:
                begins = file.read(max(map(len, _BEGINNINGS))) or b""
            for beginning, name in _BEGINNINGS.items():
                if begins.lower().startswith(beginning.lower()):
                    return format_of(path, name)
    return format_of(path, format)


def format_of(path: PathName, format: str | None = None) -> Format:
    """Return the format of a file, by its suffix or the name that is given."""
    suffix, compression = split_suffix(path)
    wanted = suffix if format is None else str(format).lower()
    for known in FORMATS:
        if wanted == known.name or (wanted and "." + wanted.lstrip(".") in known.suffixes):
            if compression and not known.compressible:
                raise FormatError(f"{known.name} files are not compressed once more", path)
            return known
    listing = ", ".join(f"{known.name} ({' '.join(known.suffixes)})" for known in FORMATS)
    if format is not None:
        raise OptionError(f"format must be one of {listing}, not {format!r}")
    found = f"suffix {suffix!r}" if suffix else "a name without a suffix"
    raise FormatError(f"{found} tells no format; known are {listing}, or give format=", path)
