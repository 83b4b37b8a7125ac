"""Undirected graphs whose weights may have any sign: `as_signed_graph`.

Elsewhere an edge weighs a number ≥ 0, and a matrix gives absolute values. Here numbers stand for
themselves: whole ones are int64, others float64.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import FormatError, InvalidGraphError
from ..files.remote import here, is_open_file
from ..graphs.graph import Graph, SignedWeights, not_square
from . import as_graph
from .converted import to_csr
from .edges import filled
from .frames import frame_of_one_set, is_frame
from .weighted import as_numbers

__all__ = ["as_signed_graph"]

EXACT = 2.0**52  # below that floats of whole value are taken as the integers that they are


def as_signed_graph(source: Any, weights: Any = None, negated: bool = False) -> Graph:
    """Make an undirected graph with weights of any sign; of parallel edges the heaviest is kept.

    Parameters
    ----------
    source
        Anything that `as_graph` takes.
    weights
        None or True for the source's own, the name of an attribute of edges, or an array with one
        for every stored entry or edge.
    negated
        Whether to take every weight times −1.

    Examples
    --------
    >>> from berge.ingest.signed import as_signed_graph
    >>> as_signed_graph(([0, 1], [1, 2], [5, -1])).weights
    array([ 5,  5, -1, -1])
    """
    named = isinstance(weights, str)
    if weights is False:
        raise InvalidGraphError("weights=False, but without weights every edge is as good")
    own = weights is None or weights is True or named
    if own and (isinstance(source, (str, PathLike)) or is_open_file(source)):
        return read_signed(source, negated=negated, **({"weights": weights} if named else {}))
    if own and is_frame(source):
        labels, ends, others, values = frame_of_one_set(source, weights if named else True)
        chosen = _signed(_numbers(values), negated)
        return Graph.from_edges(ends, others, len(labels), chosen, labels)
    if not own:
        values, edges = weights, None
    else:
        source, values, edges = _own(source, weights if named else "weight", named)
    return as_graph(source, weights=_signed(_numbers(values, edges), negated))


def _own(source: Any, attribute: str, named: bool) -> tuple[Any, Any, Any]:
    """Return a source without its weights, the weights, and its edges where these have names."""
    library = type(source).__module__.partition(".")[0]
    if hasattr(source, "is_multigraph"):
        edges = list(source.edges(data=attribute))
        values = [weight for *_, weight in edges]
        if values and all(value is None for value in values):
            raise InvalidGraphError(f"the edges of the graph have no attribute {attribute!r}")
        return source, filled(values, attribute), edges
    if library == "igraph":
        if attribute not in source.es.attributes():
            raise InvalidGraphError(f"the edges of the graph have no attribute {attribute!r}")
        return source, source.es[attribute], source.get_edgelist()
    if named:
        raise InvalidGraphError(
            f"weights={attribute!r}, but {type(source).__name__} has no attributes of edges"
        )
    if isinstance(source, Graph):
        if source.weights is None:
            raise InvalidGraphError("the graph has no weights: pass them as an array")
        return source, source.weights, None
    if isinstance(source, tuple) and len(source) == 3 and not isinstance(source[2], tuple):
        return source[:2], source[2], None
    if library == "sparse":
        source = source.to_scipy_sparse()
    if hasattr(source, "tocsr"):
        source = source if source.format in ("csr", "csc", "coo") else to_csr(source)
        return source, source.data, None
    if isinstance(source, (np.ndarray, list)):
        source = np.asarray(source)
        return source, source[np.nonzero(source)], None
    raise InvalidGraphError(
        f"{type(source).__name__} has no weights: pass them as an array, one for every edge"
    )


def read_signed(
    path: Any, *, negated: bool = False, format: str | None = None, **more: Any
) -> Graph:
    """Read an undirected graph from a file, with the numbers in it as weights; see `read_graph`."""
    from ..files import format_at, format_of, read_graph, read_weighted

    if is_open_file(path):
        with here(path, form=format) as copy:
            form = format_at(copy, format).name
            return read_signed(copy, negated=negated, format=form, **more)
    form = format_of(path, format).name
    if form not in ("matrix-market", "edge-list", "npz", "parquet"):  # others have no negative ones
        graph = read_graph(path, format=format, **more)
        return as_signed_graph(graph, None, negated)
    rows, cols, values, shape = read_weighted(path, format=format, **more)
    if form in ("matrix-market", "npz") and shape[0] != shape[1]:
        raise FormatError(str(not_square(shape)), path)
    weights = _signed(_numbers(values), negated)
    return Graph.from_edges(rows, cols, max(shape), weights)


def _signed(numbers: npt.NDArray[Any], negated: bool) -> SignedWeights:
    return SignedWeights(-numbers if negated else numbers)


def _numbers(values: Any, edges: Iterable[Any] | None = None) -> npt.NDArray[Any]:
    """Return a copy as int64 where all numbers are whole, else as float64; all must be finite."""
    array = as_numbers(values)
    if array.dtype.kind == "c":
        raise InvalidGraphError(f"weights must be real numbers, not {array.dtype}")
    if array.dtype.kind == "i" or array.size == 0:
        return array.astype(np.int64)
    wrong = np.flatnonzero(~np.isfinite(array))
    if wrong.size:
        k = int(wrong[0])
        place = f"weights[{k}]" if edges is None else f"the edge {list(edges)[k][:2]!r}"
        raise InvalidGraphError(f"{place} weighs {array.flat[k]}: not a finite number")
    if np.abs(array).max() < EXACT and (array == np.rint(array)).all():
        return array.astype(np.int64)
    return array
