"""Pairs between two lists, in a table: the graph whose vertices are the labels of both."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from ..errors import OptionError
from ..files.columns import place_of
from ..graphs.graph import Graph
from . import as_bipartite
from .frames import _in_memory, is_frame
from .weighted import as_weighted

__all__ = ["as_two_lists", "table_of"]


def as_two_lists(source: Any, weights: Any, left: Any, right: Any) -> tuple[Graph, int]:
    """Return the graph of a table of pairs, and how many labels are on the left: they come first.

    Examples
    --------
    >>> import pandas
    >>> from berge.ingest.two_lists import as_two_lists
    >>> pairs = pandas.DataFrame({"a": [7, 9], "b": [7, 7], "score": [3.0, 4.0]})
    >>> graph, n_left = as_two_lists(pairs, "score", "a", "b")
    >>> graph, graph.labels, n_left
    (Graph(3 vertices, 2 edges, weighted), (7, 9, 7), 2)
    """
    if left is None or right is None:
        raise OptionError("left and right must both name a column, of pairs between two lists")
    if isinstance(source, (str, PathLike)):
        names = [left, right, *([weights] if isinstance(weights, str) else [])]
        source = table_of(source, names)
    values = None
    if weights is None:
        both = as_bipartite(source, left=left, right=right)
    else:
        both, values = as_weighted(source, weights, left=left, right=right)
    n_left = both.n_rows
    rows = np.repeat(np.arange(n_left), np.diff(both.indptr))
    labels = [*(both.row_labels or range(n_left)), *(both.col_labels or range(both.n_cols))]
    cols = both.indices.astype(np.int64) + n_left
    return Graph.from_edges(rows, cols, len(labels), values, labels), n_left


def table_of(source: Any, names: list[str]) -> Any:
    """Return columns of Parquet files, or of a frame, as a table of pyarrow."""
    import pyarrow

    if isinstance(source, (str, PathLike)):
        from ..files.parquet import tables

        found, _ = tables(source, names)
        return pyarrow.concat_tables(found, promote_options="permissive")
    if not is_frame(source):
        raise OptionError(
            f"left and right name columns of a frame, and {type(source).__name__} is none"
        )
    frame = _in_memory(source, *names, False)
    for name in names:
        place_of(list(frame.schema.names if hasattr(frame, "schema") else frame.columns),
                 "the column", name)  # fmt: skip
    if hasattr(frame, "to_arrow"):  # polars
        return frame.select(names).to_arrow()
    if isinstance(frame, pyarrow.RecordBatch):
        frame = pyarrow.Table.from_batches([frame])
    if isinstance(frame, pyarrow.Table):
        return frame.select(names)
    return pyarrow.Table.from_pandas(frame[names], preserve_index=False)
