"""From whatever people have to a bipartite graph with a weight for every edge: `as_weighted`.

Sources are those of `as_bipartite`. A dense array is different here: every entry of it is an edge,
zeros too, since a cost of zero is a cost.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError, OptionError
from ..files.remote import is_open_file
from ..graphs.graph import BipartiteGraph, _own, index_type
from ..graphs.owned import settle
from ..wording import warn
from . import as_bipartite, say_sizes
from .converted import to_csr
from .frames import frame_edges, is_frame

__all__ = ["Weighted", "as_weighted"]

Values = npt.NDArray[Any]


class Weighted(NamedTuple):
    """A graph, whose pairs may repeat, and the weight of each entry of ``graph.indices``."""

    graph: BipartiteGraph
    weights: Values


def as_weighted(
    source: Any, weights: Any = None, *, left: Any = None, right: Any = None
) -> Weighted:
    """Make a bipartite graph with weights of anything that is one.

    Parameters
    ----------
    source
        - a dense two-dimensional array: every entry is an edge; of a masked one those not masked;
        - a scipy sparse array or matrix: every stored entry is an edge, also a zero;
        - ``(rows, cols, weights)``, index arrays and numbers; a shape may come last;
        - a frame: columns `left` and `right` hold labels, `weights` names a third one, which may be
          left out if there is no fourth;
        - a networkx or igraph graph: `weights` names an attribute, by default ``"weight"``;
        - an iterable of ``(left, right, weight)``, or a mapping ``{left: {right: weight}}``;
        - the path of a Matrix Market, .npz, Parquet or edge list file: their values, signed;
        - a `BipartiteGraph`, or any other of these with `weights` apart.
    weights
        None or True for the source's own; an array with one for every entry, in the order of the
        source; the name of a column or attribute.
    left, right
        Names of two columns, for frames and Parquet files.

    Returns
    -------
    Weighted
        Weights are int64, float64, or complex128.

    Raises
    ------
    InvalidGraphError
        There are no weights, not as many as edges, or one is no number; names the place.

    Examples
    --------
    >>> from berge.ingest.weighted import as_weighted
    >>> as_weighted([("ann", "cook", 3), ("bob", "cook", -1)]).weights
    array([ 3, -1])
    >>> as_weighted([[0, 1], [2, 3]])
    Weighted(graph=BipartiteGraph(2 × 2, 4 edges), weights=array([0, 1, 2, 3]))
    """
    if weights is False:
        raise OptionError("weights=False, but without weights every choice is as good")
    named = isinstance(weights, str)
    given = None if weights is None or weights is True or named else weights
    library = type(source).__module__.partition(".")[0]
    if is_frame(source):
        wanted = weights if given is None else False
        rows, cols, shape, labels, values, names = frame_edges(source, left, right, wanted)
        if given is not None:
            values = given
        elif values is None:
            raise InvalidGraphError(
                "say which column of the frame has the weights: weights='name'; of a table with a "
                "column for each on the right, pass frame.stack().reset_index() (pandas)"
            )
        made = _weighed_edges(rows, cols, values, shape, labels)
        said = f"rows are what is in column {names[0]!r}, columns what is in {names[1]!r}"
        said += f", weights in {names[2]!r}" if len(names) > 2 else ""
        settle(made.graph, "source", said)
        return made
    if isinstance(source, (str, PathLike)) or is_open_file(source):
        if given is not None:
            return _aligned(as_bipartite(source, left=left, right=right), given)
        from ..files import read_weighted

        name = weights if named else None
        return _weighed_edges(*read_weighted(source, weights=name, left=left, right=right))
    if left is not None or right is not None:
        raise OptionError(
            f"left and right name columns of a frame, and {type(source).__name__} is none"
        )
    if library in ("networkx", "igraph") or hasattr(source, "is_multigraph"):
        return _of_library(source, weights if named else "weight", given)
    if named:
        raise InvalidGraphError(
            f"weights={weights!r}, but {type(source).__name__} has no columns and no attributes"
        )
    if library in ("cupy", "cupyx"):
        source = source.get()
    if library == "torch":
        source = source.detach().cpu()
        source = source.to_dense().numpy() if source.layout != source.sparse_coo else source
    if library == "sparse":
        source = source.to_scipy_sparse()
    if hasattr(source, "tocsr"):
        return _of_sparse(source, given)
    if isinstance(source, tuple) and len(source) in (3, 4) and not isinstance(source[2], tuple):
        if given is not None:
            raise InvalidGraphError("weights are given twice: in (rows, cols, weights) and apart")
        made = _weighed_edges(*source)
        if len(source) == 3:
            say_sizes(made.graph)
        return made
    if isinstance(source, np.ndarray) or _is_matrix(source):
        return _of_dense(source, given)
    if isinstance(source, Mapping) or (
        isinstance(source, Iterable) and not isinstance(source, (tuple, BipartiteGraph))
    ):
        if given is not None:
            raise InvalidGraphError("weights are given twice: in (left, right, weight) and apart")
        return _of_triples(source)
    if isinstance(source, tuple) and given is not None:
        return _weighed_edges(source[0], source[1], given, *source[2:])
    graph = as_bipartite(source)
    if given is None:
        raise InvalidGraphError(
            f"{type(source).__name__} has no weights: pass them as an array, one for every edge"
        )
    return _aligned(graph, given)


def _is_matrix(source: Any) -> bool:
    """Whether it is a list of rows; a list of tuples is one of labelled edges."""
    return isinstance(source, list) and not any(isinstance(row, tuple) for row in source)


def _aligned(graph: BipartiteGraph, values: Any) -> Weighted:
    """Put weights beside the entries of a graph, in its own order."""
    return Weighted(graph, _numbers(values, graph.nnz, graph))


def _weighed_edges(
    rows: Any, cols: Any, values: Any, shape: Any = None, labels: Any = (None, None)
) -> Weighted:
    """Sort edges by rows, and their weights with them."""
    left, right = labels
    ends = _own("row indices", rows)  # which others may be changing
    graph = BipartiteGraph.from_edges(ends, cols, shape, row_labels=left, col_labels=right)
    values = _numbers(values, graph.nnz)
    if ends.size and (ends[1:] < ends[:-1]).any():
        values = values[np.argsort(ends, kind="stable")]
    return Weighted(graph, _without_nan(values, graph))


def _of_sparse(source: Any, given: Any) -> Weighted:
    if len(source.shape) != 2:
        raise InvalidGraphError(f"a sparse array must be two-dimensional, not {source.shape}")
    stored = source if source.format in ("csr", "csc", "coo") else to_csr(source)
    values = stored.data if given is None else given
    if stored.format == "coo":
        return _weighed_edges(stored.row, stored.col, values, stored.shape)
    if stored.format == "csr":
        graph = BipartiteGraph(stored.indptr, stored.indices, stored.shape)
        return Weighted(graph, _numbers(values, graph.nnz, graph))
    turned = BipartiteGraph(stored.indptr, stored.indices, stored.shape[::-1])
    cols = np.repeat(np.arange(turned.n_rows), turned.row_degrees)
    return _weighed_edges(turned.indices, cols, values, stored.shape)


def _of_dense(source: Any, given: Any) -> Weighted:
    try:
        array = np.ma.asarray(source) if isinstance(source, np.ma.MaskedArray) else np.array(source)
    except ValueError as error:  # rows of different lengths
        raise InvalidGraphError(f"rows of a dense array must have one length: {error}") from None
    if array.ndim != 2:
        raise InvalidGraphError(
            f"a dense array must be two-dimensional, not of shape {array.shape}; "
            "edges are passed as (rows, cols, weights) or as (left, right, weight) tuples"
        )
    if given is not None:
        raise InvalidGraphError("weights are given twice: in a dense array and apart")
    n_rows, n_cols = array.shape
    if n_cols == 3 < n_rows and array.dtype.kind in "iu" and array[:, :2].min() >= 0:
        warn(
            f"an array of {n_rows:,} × 3 whole numbers is read as a matrix of weights; if it lists "
            "edges, pass (array[:, 0], array[:, 1], array[:, 2])"
        )
    if isinstance(array, np.ma.MaskedArray):
        rows, cols = np.nonzero(~np.ma.getmaskarray(array))
        return _weighed_edges(rows, cols, array.data[rows, cols], array.shape)
    indptr = n_cols * np.arange(n_rows + 1, dtype=index_type(array.size))
    indices = np.tile(np.arange(n_cols, dtype=index_type(n_rows, n_cols)), n_rows)
    return _aligned(BipartiteGraph._trusted(indptr, indices, (n_rows, n_cols)), array.ravel())


def _of_library(source: Any, attribute: str, given: Any) -> Weighted:
    """Take the edges of a networkx or igraph graph, with an attribute of theirs."""
    graph = as_bipartite(source)
    if given is not None:
        raise InvalidGraphError(
            "the order of a graph's edges is not that of an array: name an attribute of them"
        )
    if hasattr(source, "is_multigraph"):
        edges = list(source.edges(data=attribute))
    else:
        names = source.vs["name"] if "name" in source.vs.attributes() else range(source.vcount())
        found = source.es[attribute] if attribute in source.es.attributes() else []
        pairs = source.get_edgelist()
        edges = [(names[u], names[v], w) for (u, v), w in zip(pairs, found, strict=False)]
        edges = edges or [(names[u], names[v], None) for u, v in pairs]
    for u, v, weight in edges:
        if weight is None:
            raise InvalidGraphError(f"the edge ({u!r}, {v!r}) has no attribute {attribute!r}")
    row_of, col_of = (
        {label: k for k, label in enumerate(labels or ())}
        for labels in (graph.row_labels, graph.col_labels)
    )
    ends = [(u, v, w) if u in row_of else (v, u, w) for u, v, w in edges]
    rows, cols = [row_of[u] for u, _, _ in ends], [col_of[v] for _, v, _ in ends]
    labels = graph.row_labels, graph.col_labels
    return _weighed_edges(rows, cols, [w for *_, w in ends], graph.shape, labels)


def _of_triples(source: Any) -> Weighted:
    """Give labels numbers, as they appear in (left, right, weight)."""
    triples = _of_mapping(source) if isinstance(source, Mapping) else source
    numbers: tuple[dict[Any, int], dict[Any, int]] = {}, {}
    ends: tuple[list[int], list[int]] = [], []
    values = []
    for k, triple in enumerate(triples):
        if not isinstance(triple, Sequence) or isinstance(triple, str) or len(triple) != 3:
            raise InvalidGraphError(
                f"edge {k}: {reprlib.repr(triple)} is not (left, right, weight)"
            )
        for side, label in enumerate(triple[:2]):
            try:
                ends[side].append(numbers[side].setdefault(label, len(numbers[side])))
            except TypeError:
                raise InvalidGraphError(
                    f"edge {k}: {reprlib.repr(label)} cannot be a label: not hashable"
                ) from None
            if label is None or label != label:
                raise InvalidGraphError(f"edge {k}: a label is missing: found {label!r}")
        values.append(triple[2])
    labels = list(numbers[0]), list(numbers[1])
    return _weighed_edges(*ends, values, (len(labels[0]), len(labels[1])), labels)


def _of_mapping(source: Mapping[Any, Any]) -> Iterable[tuple[Any, Any, Any]]:
    for left, choices in source.items():
        if not isinstance(choices, Mapping):
            raise InvalidGraphError(
                f"left {reprlib.repr(left)}: expected {{right: weight}}, "
                f"found {reprlib.repr(choices)}"
            )
        yield from ((left, right, weight) for right, weight in choices.items())


def _numbers(values: Any, count: int, graph: BipartiteGraph | None = None) -> Values:
    """Return a copy of the weights of so many edges as int64, float64 or complex128."""
    array = as_numbers(values)
    if array.ndim != 1 or array.size != count:
        size = f"{array.size}" if array.ndim == 1 else f"an array of shape {array.shape}"
        raise InvalidGraphError(f"there are {count} edges, and weights are {size}")
    return array if graph is None else _without_nan(array, graph)


def as_numbers(values: Any) -> Values:
    """Return a copy of weights as int64, float64 or complex128.

    Examples
    --------
    >>> from berge.ingest.weighted import as_numbers
    >>> as_numbers([1, 2]).dtype, as_numbers([1, 2.5]).dtype
    (dtype('int64'), dtype('float64'))
    """
    try:
        array = np.array(values, subok=False)
    except (ValueError, OverflowError, TypeError) as error:
        raise InvalidGraphError(f"weights must be numbers: {error}") from None
    if array.dtype.kind == "O":
        array = _of_objects(array)
    if array.size and array.dtype.kind not in "biufc":
        raise InvalidGraphError(f"weights must be numbers, not {array.dtype}")
    if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
        k = int(array.argmax())
        raise InvalidGraphError(
            f"weights[{k}] = {array.flat[k]} does not fit in 64 bits with a sign"
        )
    kind = {"f": np.float64, "c": np.complex128}.get(array.dtype.kind, np.int64)
    with np.errstate(all="ignore"):  # a signalling NaN is looked for later
        return np.ascontiguousarray(array, kind)


def _of_objects(array: Values) -> Values:
    """Return Python numbers as an array: whole ones where all are, else floating-point ones."""
    for k, value in enumerate(array.flat):
        whole = isinstance(value, int)
        if whole and not -(2**63) <= value < 2**63:
            raise InvalidGraphError(f"weights[{k}] = {value} does not fit in 64 bits")
        if not whole:
            try:
                float(value)
            except (TypeError, ValueError, OverflowError):
                shown = reprlib.repr(value)
                raise InvalidGraphError(f"weights[{k}] = {shown} is not a number") from None
    return array.astype(np.int64 if all(isinstance(v, int) for v in array.flat) else np.float64)


def _without_nan(values: Values, graph: BipartiteGraph) -> Values:
    """Return the weights of a graph if all are numbers; else say whose is none."""
    if values.dtype.kind != "i" and np.isnan(values).any():
        raise InvalidGraphError(
            f"the weight of {pair_name(graph, int(np.isnan(values).argmax()))} is not a number"
        )
    return values


def pair_name(graph: BipartiteGraph, k: int) -> str:
    """Return the ends of an entry in words."""
    i, j = int(np.searchsorted(graph.indptr, k, side="right")) - 1, int(graph.indices[k])
    if graph.row_labels is not None and graph.col_labels is not None:
        return f"{graph.row_labels[i]!r} and {graph.col_labels[j]!r}"
    return f"row {i} and column {j}"
