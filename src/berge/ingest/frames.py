"""Data frames of edges to berge's graphs: pandas, polars, pyarrow and Dask.

A row of the frame is an edge, two columns hold its ends. Whatever is in them is a label, integers
too; rows and columns of the graph are numbered in the order in which labels first appear. Each
library numbers its own labels, compiled and without a Python object per row; none is imported here
that the caller does not have.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import InvalidGraphError, OptionError
from ..files.columns import choose_columns, place_of
from ..graphs.graph import BipartiteGraph, IndexArray
from ..graphs.owned import settle


def is_frame(source: Any) -> bool:
    """Tell whether a value is a frame of a library that the caller has imported."""
    return _library(source) is not None


def from_frame(frame: Any, left: Any = None, right: Any = None) -> BipartiteGraph:
    """Take the columns named `left` and `right` as edges; of two columns, the first is left.

    Raises
    ------
    InvalidGraphError
        Fewer than two columns, a missing value (names the row, from 0), or values that cannot be
        labels.
    OptionError
        No column of that name, or none named of more than two.

    Examples
    --------
    >>> import pyarrow
    >>> from berge.ingest.frames import from_frame
    >>> wishes = pyarrow.table({"who": ["ann", "bob", "ann"], "what": ["cook", "cook", "drive"]})
    >>> graph = from_frame(wishes)
    >>> graph, graph.row_labels, graph.col_labels
    (BipartiteGraph(2 × 2, 3 edges), ('ann', 'bob'), ('cook', 'drive'))

    Notes
    -----
    Time and memory are linear in the rows of the frame.
    """
    rows, cols, shape, (row_labels, col_labels), _, names = frame_edges(frame, left, right)
    graph = BipartiteGraph.from_edges(
        rows, cols, shape, row_labels=row_labels, col_labels=col_labels
    )
    own, theirs = names
    settle(graph, "source", f"rows are what is in column {own!r}, columns what is in {theirs!r}")
    return graph


def frame_of_one_set(frame: Any, weights: Any) -> Any:
    """Return the vertices of any graph, both ends of its edges by number, and their weights.

    Two columns are the ends; a third has weights. ``weights`` is its name, True or False.
    """
    if hasattr(frame, "collect"):
        frame = frame.collect()
    if len(frame.columns) > (2 if weights is False else 3):
        raise OptionError(
            f"a frame of {len(frame.columns)} columns: choose the two with the ends of edges"
            + (", and one with weights" if weights is not False else ", as in frame[['a', 'b']]")
        )
    instead = "the three columns as a tuple"
    rows, cols, _, labels, values, _ = frame_edges(frame, None, None, weights, instead)
    if weights is not False and values is None:
        raise InvalidGraphError("say which column of the frame has the weights: weights='name'")
    number: dict[Any, int] = {}
    ends = [
        np.array([number.setdefault(name, len(number)) for name in names], np.int64)[side]
        for names, side in zip(labels, (rows, cols), strict=True)
    ]
    return list(number), *ends, values


def frame_edges(
    frame: Any,
    left: Any = None,
    right: Any = None,
    weights: Any = False,
    instead: str = "name the columns by left= and right=",
) -> Any:
    """Return rows, columns, shape, both sides' labels, values of `weights`, names of the columns.

    Without a name, the weights are the column that is neither `left` nor `right`, if there is one
    alone; of three columns without names the last one. If False they are not looked for.
    """
    frame = _in_memory(frame, left, right, weights)
    names, column, number = _READERS[_library(frame) or ""][0](frame)
    apart = None
    if weights is not None and not isinstance(weights, bool):
        apart = place_of(names, "weights", weights)
    elif weights is not False and left is right is None and len(names) == 3:
        if isinstance(next(iter(getattr(frame, "index", ())), None), str):
            raise InvalidGraphError(
                "the frame's index has labels too: name the columns by left= and right=, or melt a "
                "table that has a column for each on the right"
            )
        apart = 2
    ends = [place for place in range(len(names)) if place != apart]
    first, second = choose_columns([names[place] for place in ends], left, right)
    places = ends[first], ends[second]
    if left is right is None and len(frame) == 2 and names in _UNNAMED:
        raise InvalidGraphError(
            "a frame of 2 × 2 without names may be a matrix or two edges: pass it as an array, or "
            "name the columns by left= and right="
        )
    if apart == 2 and weights in (None, True) and _may_be_matrix(frame, names, column):
        raise OptionError(
            "a frame of three columns of numbers may be a matrix or edges with weights: pass "
            f"frame.to_numpy(), or {instead}"
        )
    (rows, row_labels), (cols, col_labels) = (
        _numbered(number, column(place), names[place]) for place in places
    )
    others = [place for place in range(len(names)) if place not in places]
    if apart is None and weights is not False and len(others) == 1:
        apart = others[0]
    values, named = None, [names[place] for place in places]
    if weights is not False and apart is not None:
        values = _values(names, column, apart)
        named.append(names[apart])
    labels, shape = (row_labels, col_labels), (len(row_labels), len(col_labels))
    return rows, cols, shape, labels, values, named


def _may_be_matrix(frame: Any, names: list[Any], column: Any) -> bool:
    """Whether three columns of numbers have no names, or fractions for labels."""
    kinds = [np.asarray(column(place).to_numpy()).dtype.kind for place in range(3)]
    numbers = all(kind in "iufb" for kind in kinds)
    return numbers and (names in _UNNAMED or "f" in kinds[:2])


def _values(names: list[Any], column: Any, place: int) -> Any:
    """Return the numbers of a column; complain where it has none."""
    found = np.asarray(column(place).to_numpy())
    missing = found != found if found.dtype.kind == "f" else np.zeros(found.size, np.bool_)
    if found.dtype.kind == "O":
        missing = np.array([value is None or value != value for value in found.tolist()], np.bool_)
    if missing.any():
        k = int(np.argmax(missing))
        raise InvalidGraphError(
            f"row {k} of the frame (the first is 0) has no value in column {names[place]!r}"
        )
    return found


Numbers = tuple[IndexArray, list[Any]]


def _numbered(number: Callable[[Any], Numbers], column: Any, name: Any) -> Numbers:
    """Return the numbers and labels of a column; complain where it has none."""
    try:
        numbers, labels = number(column)
        hash(labels[0] if labels else None)
    except (TypeError, NotImplementedError) as error:
        raise InvalidGraphError(
            f"column {name!r} has values that cannot be labels: {error}"
        ) from None
    missing = np.flatnonzero(numbers < 0)
    if missing.size:
        raise InvalidGraphError(
            f"row {missing[0]} of the frame (the first is 0) has no value in column {name!r}"
        )
    return numbers, labels


def _in_memory(frame: Any, *columns: Any) -> Any:
    """Bring a frame into memory that is not there yet: the columns that are named, or all."""
    named = [name for name in columns if isinstance(name, str)]
    chosen = named if len(named) + (columns[-1] is False) == len(columns) else None
    if hasattr(frame, "to_table"):  # a dataset or a scanner of pyarrow
        if chosen is None or not hasattr(frame, "scanner"):
            return frame.to_table()
        for name in chosen:
            place_of(frame.schema.names, "left or right", name)
        return frame.to_table(columns=list(dict.fromkeys(chosen)))
    if hasattr(frame, "read_all"):  # a stream of pyarrow's
        return frame.read_all()
    if hasattr(frame, "npartitions"):
        return (frame if chosen is None else frame[list(dict.fromkeys(chosen))]).compute()
    if hasattr(frame, "collect"):  # a lazy frame of polars
        return frame.collect()
    return frame


def _library(source: Any) -> str | None:
    """Return the library whose frame this is; classes derived from it count."""
    if hasattr(source, "npartitions") and hasattr(source, "columns"):
        return "dask"
    for name, (_, *classes) in _READERS.items():
        library = sys.modules.get(name)
        if any(isinstance(source, getattr(library, known, ())) for known in classes):
            return name
    return None


# A reader returns the names of the columns, how to take one by its place, and how to number its
# labels. Numbering gives the number of each row's label, −1 where it is missing, and the labels by
# number.
Reader = tuple[list[Any], Callable[[int], Any], Callable[[Any], Numbers]]


def _pandas(frame: Any) -> Reader:
    def number(column: Any) -> Numbers:
        numbers, labels = sys.modules["pandas"].factorize(column)
        return numbers, labels.tolist()

    return list(frame.columns), lambda place: frame.iloc[:, place], number


def _polars(frame: Any) -> Reader:
    def number(column: Any) -> Numbers:
        polars = sys.modules["polars"]
        if column.dtype.is_nested():
            raise TypeError(str(column.dtype))
        if column.dtype == polars.Object:  # polars cannot group what it does not know
            return _numbered_one_by_one(column.to_list())
        # The row where each label first appears, at every row.
        rows = polars.DataFrame({"label": column}).with_row_index("row")
        first = rows.select(polars.col("row").min().over("label")).to_series().to_numpy()
        is_first = first == np.arange(first.size)
        numbers = (np.cumsum(is_first) - 1)[first]
        missing = column.is_null()
        if column.dtype.is_float():
            missing = missing | column.is_nan()
        numbers[missing.to_numpy()] = -1
        return numbers, column.filter(polars.Series(is_first)).to_list()

    return list(frame.columns), frame.to_series, number


def _pyarrow(table: Any) -> Reader:
    def number(column: Any) -> Numbers:
        pyarrow = sys.modules["pyarrow"]
        column = pyarrow.chunked_array([column]) if isinstance(column, pyarrow.Array) else column
        if pyarrow.types.is_dictionary(column.type):  # its order is not that of appearance
            column = column.cast(column.type.value_type)
        if not len(column):
            return np.zeros(0, np.int64), []
        encoded = column.dictionary_encode().unify_dictionaries()
        indices = [chunk.indices.fill_null(-1).to_numpy() for chunk in encoded.chunks]
        numbers = np.concatenate(indices).astype(np.int64)
        compute = import_module("pyarrow.compute")
        missing = compute.is_null(column, nan_is_null=True).to_numpy()
        numbers[missing] = -1
        return numbers, encoded.chunk(0).dictionary.to_pylist()

    return list(table.schema.names), table.column, number


def _numbered_one_by_one(values: list[Any]) -> Numbers:
    number_of: dict[Any, int] = {}
    numbers = [
        -1 if value is None or value != value else number_of.setdefault(value, len(number_of))
        for value in values
    ]
    return np.array(numbers, np.int64), list(number_of)


# Names of columns that nobody named, in pandas and in polars.
_UNNAMED = ([0, 1], [0, 1, 2], *([f"column_{k}" for k in range(n)] for n in (2, 3)))

# How to read a library's frames, and the names of their classes.
_READERS: dict[str, Any] = {
    "pandas": (_pandas, "DataFrame"),
    "polars": (_polars, "DataFrame", "LazyFrame"),
    "pyarrow": (_pyarrow, "Table", "RecordBatch", "RecordBatchReader"),
    "pyarrow.dataset": (_pyarrow, "Dataset", "Scanner"),
}
