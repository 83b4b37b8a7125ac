"""Parquet and Arrow edge lists: two columns of whole numbers, in one file or a folder of them.

The columns `left` and `right`, which must be named where there are more than two; a first number
other than 0 is the `base`.
Read in batches by pyarrow (``pip install "berge[parquet]"``). Columns of labels are for
`berge.as_bipartite`, which takes frames. Feather files (version 2) are Arrow's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape, glob, has_magic
from typing import Any

import numpy as np

from ..errors import BergeError, FormatError, InvalidGraphError, NotFoundError, OptionError
from ..graphs.graph import BipartiteGraph, Graph, IndexArray
from .columns import choose_columns, place_of
from .files import PathName, replacing, split_suffix
from .limits import Limits
from .remote import check_sizes, expand, is_url, listed, opened, plain, shown
from .text import WeightedEdges, join, shape_of

Batches = Iterator[tuple[IndexArray, IndexArray]]

_BATCH = 1 << 20  # rows
_SUFFIXES = (".parquet", ".parq", ".pq")
_ARROW = b"ARROW1"  # what Arrow files begin with


def read(
    path: PathName,
    *,
    base: int = 0,
    left: Any = None,
    right: Any = None,
    limits: Limits | None = None,
) -> BipartiteGraph:
    """Read two columns as edges; see `berge.read`."""
    rows, cols = join(
        _within(limits, path, files_of(path, limits), base=base, left=left, right=right)
    )
    shape = shape_of([(rows, cols)], path, limits or Limits(), base)
    return BipartiteGraph.from_edges(rows, cols, shape)


def read_graph(
    path: PathName,
    *,
    base: int = 0,
    left: Any = None,
    right: Any = None,
    weights: Any = True,
    limits: Limits | None = None,
) -> Graph:
    """Read the edges of a graph, without weights."""
    if weights is True:
        raise FormatError("weights of Parquet files are not read; pass a frame to as_graph", path)
    rows, cols = join(
        _within(limits, path, files_of(path, limits), base=base, left=left, right=right)
    )
    n = max(shape_of([(rows, cols)], path, limits or Limits(), base))
    return Graph.from_edges(rows, cols, n, weights)


def read_weighted(
    path: PathName,
    *,
    base: int = 0,
    left: Any = None,
    right: Any = None,
    weights: Any = None,
    limits: Limits | None = None,
) -> WeightedEdges:
    """Read two columns as edges, and one as weights; without a name, a third one that is alone."""
    files = files_of(path, limits)
    names = files[0].schema_arrow.names
    ends = _columns(path, names, left, right)
    others = [name for name in names if name not in ends]
    if weights is None and len(others) != 1:
        raise FormatError("say which column has the weights", path)
    chosen = others[0] if weights is None else names[place_of(names, "weights", weights)]
    rows, cols = join(_within(limits, path, files, base=base, left=left, right=right))
    with damage_told(path):
        found = [file.read(columns=[chosen]).column(0) for file in files]
        if any(column.null_count for column in found):
            raise FormatError(f"column {chosen!r} has no value somewhere", path)
        if not all(_is_number(column.type) for column in found):
            raise FormatError(f"column {chosen!r} holds {found[0].type}, not weights", path)
        values = np.concatenate([column.to_numpy() for column in found])
    return rows, cols, values, shape_of([(rows, cols)], path, limits or Limits())


def write(graph: BipartiteGraph, path: PathName) -> None:
    """Write an edge a row, as the columns ``row`` and ``col``; see `berge.write`."""
    pyarrow, parquet = _import()
    names = pyarrow.schema([(name, graph.indices.dtype.name) for name in ("row", "col")])
    is_arrow = split_suffix(path)[0] in (".arrow", ".feather")
    new_file = pyarrow.ipc.new_file if is_arrow else parquet.ParquetWriter
    with replacing(path) as file, new_file(file, names) as writer:
        rows = np.arange(graph.n_rows, dtype=graph.indices.dtype)
        for lo in range(0, graph.nnz, _BATCH):
            hi = min(lo + _BATCH, graph.nnz)
            first, last = np.searchsorted(graph.indptr, [lo, hi - 1], side="right")
            ends = np.clip(graph.indptr[first - 1 : last + 1], lo, hi)
            pair = np.repeat(rows[first - 1 : last], np.diff(ends)), graph.window(lo, hi)
            writer.write_table(pyarrow.table(list(pair), schema=names))


def is_parquet(path: str) -> bool:
    """Tell by its name whether a path, a folder or a pattern is one of Parquet files."""
    if is_url(path := plain(path)) and not path.lower().endswith(_SUFFIXES):
        return path.endswith("/") and any(map(is_parquet, listed(path)))
    if os.path.isdir(path) and not path.rstrip("/").endswith(".berge"):
        return any(name.endswith(_SUFFIXES) for name in os.listdir(path))
    return path.lower().endswith(_SUFFIXES)


def table_of_labels(path: PathName, left: Any, right: Any) -> Any:
    """Return a file as a table if either column has something else than whole numbers."""
    pyarrow, _ = _import()
    file, *more = files_of(path)
    schema = file.schema_arrow
    kinds = [schema.field(schema.names.index(name)).type for name in
             _columns(path, schema.names, left, right)]  # fmt: skip
    if all(map(pyarrow.types.is_integer, kinds)):
        return None
    with damage_told(path):
        return pyarrow.concat_tables([each.read() for each in (file, *more)])


def _is_number(kind: Any) -> bool:
    types = _import()[0].types
    tests = types.is_integer, types.is_floating, types.is_decimal, types.is_boolean
    return any(test(kind) for test in tests)


@contextmanager
def damage_told(path: PathName, what: str = "damaged") -> Iterator[None]:
    """Turn the errors of pyarrow into one of our own; the system's go through."""
    pyarrow, _ = _import()
    try:
        yield
    except BergeError:
        raise
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(f"{what}: {error}", shown(path)) from None


class _ArrowFile:
    """An Arrow file, as pyarrow shows Parquet files; its batches are the row groups.

    pyarrow takes the lengths in it as they are: unless they are validated, they lead anywhere.
    """

    def __init__(self, source: Any):
        pyarrow, _ = _import()
        self._file = pyarrow.ipc.open_file(source)
        self.schema_arrow = self._file.schema
        self.num_row_groups = self._file.num_record_batches
        self.metadata = self

    @property
    def num_rows(self) -> int:
        return sum(self.row_group(k).num_rows for k in range(self.num_row_groups))

    def row_group(self, k: int) -> Any:
        batch = self._file.get_batch(k)
        batch.validate(full=True)
        return batch

    def iter_batches(self, size: int, row_groups: list[int], columns: list[str]) -> Iterator[Any]:
        return (self.row_group(k).select(columns) for k in row_groups)

    def read(self, columns: list[str] | None = None) -> Any:
        table = self._file.read_all()
        table.validate(full=True)
        return table if columns is None else table.select(columns)


def files_of(path: PathName, limits: Limits | None = None) -> list[Any]:
    """Open a Parquet or an Arrow file, or the Parquet files of a folder or a pattern.

    Of URLs no more is read than is asked for.
    """
    _, parquet = _import()
    path = plain(path)
    paths = [os.fspath(path)]
    if is_url(path):
        paths = [each for each in listed(paths[0]) if each.endswith(_SUFFIXES)] or expand(paths[0])
        if not paths:
            raise NotFoundError(f"no file is called {shown(path)}")
        check_sizes(paths, limits)
    elif os.path.isdir(path):
        paths = sorted(glob(os.path.join(escape(paths[0]), "*")))
        paths = [each for each in paths if each.endswith(_SUFFIXES)]
        if not paths:
            raise FormatError("no .parquet files in the folder", path)
    elif has_magic(paths[0]) and not os.path.exists(path):
        paths = sorted(glob(paths[0]))
        if not paths:
            raise FileNotFoundError(f"no file is called {path}")
    files = []
    for each in paths:
        with damage_told(each, "not a Parquet or Arrow file, or damaged"):
            with opened(each) if is_url(each) else open(each, "rb") as file:
                is_arrow = file.read(len(_ARROW)) == _ARROW
            source = opened(each) if is_url(each) else each
            files.append((_ArrowFile if is_arrow else parquet.ParquetFile)(source))
            _ = files[-1].schema_arrow.names  # which are decoded only now
    return files


def _within(limits: Limits | None, path: PathName, files: list[Any], **more: Any) -> Batches:
    """Yield batches, as long as there is memory for a solve of so many edges."""
    limits, edges = (limits or Limits()).now(), 0
    known = (file.metadata.num_rows for file in files if not isinstance(file, _ArrowFile))
    limits.check((0, 0), sum(known), path)
    for rows, cols in batches(path, files, **more):
        edges += rows.size
        limits.check((0, 0), edges, path)
        yield rows, cols


def batches(
    path: PathName,
    files: list[Any],
    *,
    base: int = 0,
    left: Any = None,
    right: Any = None,
    skip: int = 0,
    part: tuple[int, int] = (0, 1),
) -> Batches:
    """Yield rows and columns of edges in batches, from edge number `skip` on.

    Of row groups, a `part` (number, of so many) takes those that are its turn.
    """
    number, turn = 0, 0  # of the next row, of the next row group
    for file in files:
        wanted = _columns(path, file.schema_arrow.names, left, right)
        for group in range(file.num_row_groups):
            with damage_told(path):
                size = file.metadata.row_group(group).num_rows
            turn += 1
            if number + size <= skip or (turn - 1) % part[1] != part[0]:
                number += size
                continue
            with damage_told(path):
                for batch in file.iter_batches(_BATCH, row_groups=[group], columns=wanted):
                    start = min(max(skip - number, 0), batch.num_rows)
                    pair = [
                        _indices(path, batch.column(name), name, number, base) for name in wanted
                    ]
                    number += batch.num_rows
                    if start < batch.num_rows:
                        yield pair[0][start:], pair[1][start:]


def tables(
    path: PathName, names: list[str], part: tuple[int, int] = (0, 1)
) -> tuple[list[Any], list[str]]:
    """Read the columns of these names, whatever they hold, and return them with all names.

    Of row groups, a `part` (number, of so many) takes those that are its turn.
    """
    pyarrow, _ = _import()
    found: list[Any] = []
    all_names: list[str] = []
    turn = 0
    for file in files_of(path):
        all_names = file.schema_arrow.names
        for name in names:
            place_of(all_names, "the column", name)
        for group in range(file.num_row_groups):
            turn += 1
            if (turn - 1) % part[1] != part[0]:
                continue
            with damage_told(path):
                pieces = file.iter_batches(_BATCH, row_groups=[group], columns=names)
                found += [pyarrow.Table.from_batches([piece]) for piece in pieces]
    return found, all_names


def _columns(path: PathName, names: list[str], left: Any, right: Any) -> list[str]:
    """Return the names of the two columns with the ends of edges."""
    try:
        wanted = [names[place] for place in choose_columns(names, left, right)]
    except InvalidGraphError as error:
        raise FormatError(str(error), path) from None
    for name in wanted:
        if names.count(name) > 1:
            raise FormatError(f"{names.count(name)} columns are called {name!r}", path)
    return wanted


def _indices(path: PathName, column: Any, name: str, number: int, base: int) -> IndexArray:
    """Return a column's numbers as indices; complain where it has something else."""
    pyarrow, _ = _import()
    if not pyarrow.types.is_integer(column.type):
        raise FormatError(
            f"column {name!r} holds {column.type}, not numbers of vertices; left and right "
            "(--left, --right) choose other columns; labels are read from CSV and data frames",
            path,
        )
    if column.null_count:
        raise FormatError(f"column {name!r} has no value somewhere after row {number}", path)
    values = column.to_numpy()
    if values.size and (values.min() < base or values.max() > 2**62):
        k = int(np.flatnonzero((values < base) | (values > 2**62))[0])
        raise FormatError(f"row {number + k}: {name} {values[k]} is below {base}", path)
    wide = np.int32 if values.max(initial=0) < 2**31 else np.int64
    indices: IndexArray = values.astype(wide) - wide(base)
    return indices


def _import() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        raise OptionError('Parquet files need pyarrow: pip install "berge[parquet]"') from None
    return pyarrow, pyarrow.parquet
