"""From whatever people have to a graph: `as_bipartite` and `as_graph`.

Other libraries are recognised by the module that a value's class comes from, so none is imported
unless the caller already has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from ..errors import InvalidGraphError, OptionError
from ..files.remote import is_open_file
from ..graphs.graph import BipartiteGraph, Graph, not_square
from ..graphs.owned import settle
from ..hints import with_hints
from ..wording import warn
from .converted import to_csr

__all__ = ["as_bipartite", "as_graph"]


@with_hints
def as_bipartite(
    source: Any,
    *,
    shape: tuple[int, int] | None = None,
    top_nodes: Iterable[Any] | None = None,
    left: Any = None,
    right: Any = None,
    row_labels: Iterable[Any] | None = None,
    col_labels: Iterable[Any] | None = None,
) -> BipartiteGraph:
    """Make a bipartite graph of anything that is one.

    Parameters
    ----------
    source
        - a `BipartiteGraph`: returned as it is;
        - a scipy sparse array or matrix of any format: every stored entry is an edge, also one
          whose value is zero;
        - a dense two-dimensional array: every nonzero is an edge;
        - ``(row_indices, col_indices)``, or ``(row_indices, col_indices, shape)``;
        - a networkx graph: rows are the nodes with attribute ``bipartite=0``, or `top_nodes`;
          without either, one side of a two-colouring. Labels are kept;
        - an igraph graph with vertex attribute ``type``, else by a two-colouring;
        - a frame of edges (pandas, polars, pyarrow): the columns `left` and `right` hold labels
          of any kind, integers too; rows and columns are numbered as labels first appear;
        - a mapping ``{left: [right, …]}`` of labels;
        - a torch tensor, sparse or dense; a CuPy array, sparse or dense. What lies on a GPU is
          copied to the host; only `maximum_matching` with ``device="cuda"`` leaves it there;
        - a pyarrow dataset, or a Dask dataframe, likewise: the two columns come into memory;
        - the path or the URL of a file that `berge.read` knows, a pattern of several, or an open
          file; in Parquet, `left` and `right` hold numbers.
    shape
        Rows and columns, for index arrays; by default as many as there are labels, else as large
        as the indices ask for.
    top_nodes
        The rows, for networkx graphs.
    left, right
        Names of the two columns, for frames and Parquet files; needed where there are more than
        two.
    row_labels, col_labels
        Names of all rows, and of all columns. Where the source has labels itself, as frames do,
        these list all there are: those that no edge has are there too, and count as unmatched.

    Raises
    ------
    InvalidGraphError
        If the source is not a bipartite graph; names the place.
    OptionError
        If a frame has no column of that name, or the source is no frame and has no columns.

    Warns
    -----
    GuessWarning
        If the source can be read in two ways; says which one was taken. What was assumed without
        doubt is in the graph's ``source``.

    Examples
    --------
    >>> import berge, numpy as np
    >>> berge.as_bipartite(([0, 1, 2], [1, 1, 0]), shape=(3, 4))
    BipartiteGraph(3 × 4, 3 edges)
    >>> berge.as_bipartite(np.eye(3))
    BipartiteGraph(3 × 3, 3 edges)
    >>> berge.as_bipartite(([0, 1], [1, 1]), row_labels=["ann", "bob", "cid"])
    BipartiteGraph(3 × 2, 2 edges)
    """
    named = row_labels is not None or col_labels is not None
    if named and isinstance(source, tuple) and shape is None and len(source) == 2:
        rows, cols, *_ = source
        row_labels, col_labels = (None if x is None else list(x) for x in (row_labels, col_labels))
        shape = _size(rows, row_labels), _size(cols, col_labels)
    graph = _bipartite(source, shape, top_nodes, left, right)
    if graph is None:
        raise _unknown(source, "a bipartite graph", "(row_indices, col_indices)")
    if named:
        from .named import with_labels

        return with_labels(graph, row_labels, col_labels)
    return graph


def _size(indices: Any, labels: list[Any] | None) -> int:
    """Return how many vertices a side has: as many as labels, else as its indices ask for."""
    return int(np.max(indices, initial=-1)) + 1 if labels is None else len(labels)


def _bipartite(
    source: Any, shape: Any = None, top_nodes: Any = None, left: Any = None, right: Any = None
) -> BipartiteGraph | None:
    """Make a bipartite graph; return None if none can be made of the source."""
    library = type(source).__module__.partition(".")[0]
    if left is right is None:  # first, for those who call this in loops
        if isinstance(source, BipartiteGraph):
            return source
        if library == "scipy" and hasattr(source, "tocsr"):
            return _from_sparse(source)
    from .frames import from_frame, is_frame

    if is_frame(source):
        return from_frame(source, left, right)
    if isinstance(source, (str, PathLike)) or is_open_file(source):
        from ..files import read

        path = source if is_open_file(source) else fspath(source)
        return read(path, left=left, right=right)
    if left is not None or right is not None:
        raise OptionError(
            f"left and right name columns of a frame, and {type(source).__name__} is none"
        )
    if hasattr(source, "to_host"):  # a graph on a device
        return _bipartite(source.to_host())
    if hasattr(source, "is_multigraph"):
        from .networkx import from_networkx

        return from_networkx(source, top_nodes)
    if library == "igraph":
        from .igraph import from_igraph

        return from_igraph(source)
    if library == "torch":
        from .tensors import from_torch

        return from_torch(source)
    if library in ("cupy", "cupyx"):
        return _bipartite(source.get(), shape)
    if library == "sparse":
        source = source.to_scipy_sparse()
    if hasattr(source, "tocsr"):
        return _from_sparse(source)
    if isinstance(source, tuple):
        return _from_indices(source, shape)
    if isinstance(source, Mapping):
        from .pairs import graph_of_mapping

        return graph_of_mapping(source)
    if isinstance(source, list) and source and all(map(_is_pair, source)):
        raise InvalidGraphError(
            "a list of pairs: pass (row_indices, col_indices), two arrays, or an array for a "
            "matrix; pairs of names are for match_pairs"
        )
    if isinstance(source, (np.ndarray, list)):
        return _from_dense(_array(source))
    return None


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2


def _array(source: Any) -> Any:
    """Return a dense array, of which nothing is masked, and whose rows are equally long."""
    if isinstance(source, np.ma.MaskedArray):
        raise InvalidGraphError("a masked array: say by filled(0) that masked entries are no edges")
    try:
        return np.asarray(source)
    except ValueError as error:
        raise InvalidGraphError(f"not a dense array: {error}") from None


def _unknown(source: Any, kind: str, indices: str) -> InvalidGraphError:
    """Return the error for what no graph can be made of."""
    return InvalidGraphError(
        f"cannot make {kind} of {type(source).__name__}: pass a scipy sparse array, a dense "
        f"array, {indices}, a networkx or igraph graph, a data frame, or a path"
    )


@with_hints
def as_graph(source: Any, *, weights: Any = None, vertex_weights: Any = None) -> Graph:
    """Make an undirected graph of a `Graph`, or of anything square that `as_bipartite` takes.

    An entry (i, j) is an edge between i and j, in either direction; self-loops are dropped, and of
    parallel edges the heaviest is kept. A networkx or igraph graph keeps its own edges and order
    of nodes, and the names of these as labels. A frame has an edge in each row, its ends in two
    columns and its weight in a third.

    Parameters
    ----------
    source
        The graph; index arrays are passed as ``(ends, others)`` or ``(ends, others, weights)``. A
        METIS file keeps the weights of its vertices.
    weights
        - None: every edge weighs 1; a `Graph` keeps the weights it has;
        - True: the source's own. Matrices have absolute values, networkx and igraph graphs the
          attribute ``"weight"`` (1 where some edges of networkx have none, with a warning). Files
          have values:
          Matrix Market and .npz (absolute ones), METIS with edge weights, the third column of an
          edge list;
        - the name of an attribute of the edges, for networkx and igraph graphs;
        - an array: a weight ≥ 0 for every stored entry, or edge, in the order of the source;
        - False: none, also of a `Graph`.
    vertex_weights
        A number ≥ 0 for every vertex; by default what the source has, if any.

    Raises
    ------
    InvalidGraphError
        If the source is not a graph, has no weights where they are asked for, or has one that is
        negative, infinite or not a number; names the place.
    FormatError
        The same of a file; names its line where there is one.

    Examples
    --------
    >>> import berge, numpy as np
    >>> berge.as_graph(np.ones((3, 3)))
    Graph(3 vertices, 3 edges)
    >>> berge.as_graph(np.array([[0, -2], [1, 0]]), weights=True).weights
    array([2., 2.])
    """
    if vertex_weights is not None:
        return as_graph(source, weights=weights).weighing(vertex_weights)
    own = weights is True or isinstance(weights, str)
    given = None if weights is None or isinstance(weights, (bool, str)) else weights
    if isinstance(source, Graph):
        if own and source.weights is None:
            raise InvalidGraphError("the graph has no weights")
        if weights is None or own:
            return source
        return Graph(source.indptr, source.indices, given, source.vertex_weights, source.labels)
    library = type(source).__module__.partition(".")[0]
    if hasattr(source, "is_multigraph") or library == "igraph":
        attribute = None if not own else weights if isinstance(weights, str) else "weight"
        if library == "igraph":
            from .igraph import edges_of
        else:
            from .networkx import edges_of
        labels, ends, others, values = edges_of(source, attribute)
        values = given if values is None else values
        return Graph.from_edges(ends, others, len(labels), values, labels)
    from .frames import frame_of_one_set, is_frame

    if is_frame(source):
        labels, ends, others, values = frame_of_one_set(source, weights if own else False)
        return Graph.from_edges(
            ends, others, len(labels), given if values is None else values, labels
        )
    if isinstance(weights, str):
        raise InvalidGraphError(
            f"weights={weights!r}, but {type(source).__name__} has no attributes of edges"
        )
    if isinstance(source, (str, PathLike)) or is_open_file(source):
        from ..files import read_graph

        return read_graph(source, weights=False if weights is None else weights)
    # A third thing is the shape if it is a tuple.
    if isinstance(source, tuple) and len(source) == 3 and not isinstance(source[2], tuple):
        if given is not None:
            raise InvalidGraphError("weights are given twice: in (ends, others, weights) and apart")
        return Graph.from_edges(*source[:2], weights=None if weights is False else source[2])
    if isinstance(source, tuple) and len(source) == 2 and not own:
        return Graph.from_edges(*source, weights=given)
    # Rows of a matrix are lists: two pairs would pass for one.
    if isinstance(source, list) and source and all(map(_is_pair, source)):
        raise InvalidGraphError(
            "edges are passed as (ends, others), two arrays, not as a list of pairs"
        )
    if library == "sparse":
        source = source.to_scipy_sparse()
    if hasattr(source, "tocsr"):
        return _graph_of_sparse(source, own, given)
    if isinstance(source, (np.ndarray, list)) and own:
        dense = np.asarray(source)
        return Graph.from_bipartite(_from_dense(dense), np.abs(dense[np.nonzero(dense)]))
    if own:
        raise InvalidGraphError(
            f"{type(source).__name__} has no weights: pass them as an array, one for every edge"
        )
    graph = _bipartite(source)
    if graph is None:
        raise _unknown(source, "a graph", "(ends, others)")
    if graph.row_labels is not None and graph.row_labels != graph.col_labels:
        raise InvalidGraphError(
            f"{type(source).__name__} has two sides with labels of their own: not one set of "
            "vertices; pass (ends, others) as index arrays"
        )
    return Graph.from_bipartite(graph, given)


def graph_of_library(source: Any) -> Any:
    """Make a networkx or igraph graph bipartite if it is, else a `Graph`; leave all else as it is.

    Examples
    --------
    >>> import networkx
    >>> [graph_of_library(networkx.cycle_graph(n)) for n in (4, 5)]
    [BipartiteGraph(2 × 2, 4 edges), Graph(5 vertices, 5 edges)]
    """
    if type(source).__module__.partition(".")[0] != "igraph" and not hasattr(
        source, "is_multigraph"
    ):
        return source
    from .edges import NotBipartiteError

    try:
        return _bipartite(source)
    except NotBipartiteError:
        return as_graph(source)


def _graph_of_sparse(source: Any, own: bool, given: Any) -> Graph:
    """Take either triangle, or both, of a square matrix; CSR and CSC are alike then."""
    if len(source.shape) != 2 or source.shape[0] != source.shape[1]:
        raise not_square(source.shape)
    stored = source if source.format in ("csr", "csc", "coo") else to_csr(source)
    values = np.abs(stored.data) if own else given
    if stored.format == "coo":
        return Graph.from_edges(stored.row, stored.col, stored.shape[0], values)
    return Graph.from_bipartite(BipartiteGraph(stored.indptr, stored.indices, stored.shape), values)


def _from_sparse(source: Any) -> BipartiteGraph:
    if len(source.shape) != 2:
        raise InvalidGraphError(f"a sparse array must be two-dimensional, not {source.shape}")
    # COO, built by hand: scipy would add duplicates up, and does not look at the indices.
    if source.format == "coo":
        return BipartiteGraph.from_edges(source.row, source.col, source.shape)
    if source.format == "csc":
        return BipartiteGraph(source.indptr, source.indices, source.shape[::-1]).turned()
    csr = source if source.format == "csr" else to_csr(source)
    return BipartiteGraph(csr.indptr, csr.indices, csr.shape)


def _from_indices(source: tuple[Any, ...], shape: tuple[int, int] | None) -> BipartiteGraph:
    if len(source) not in (2, 3):
        raise InvalidGraphError(
            "a tuple must be (row_indices, col_indices) or (row_indices, col_indices, shape), "
            f"not {len(source)} things"
        )
    from .tensors import on_host

    rows, cols = map(on_host, source[:2])
    graph = BipartiteGraph.from_edges(rows, cols, source[2] if source[2:] else shape)
    if shape is None and not source[2:]:
        say_sizes(graph)
    return graph


def say_sizes(graph: BipartiteGraph) -> None:
    """Say that the sizes were read off the largest indices."""
    settle(graph, "source", f"{graph.n_rows:,} × {graph.n_cols:,} by the largest indices")


def _from_dense(array: Any) -> BipartiteGraph:
    if array.ndim != 2:
        raise InvalidGraphError(
            f"a dense array must be two-dimensional, not of shape {array.shape}; "
            "index arrays are passed as a tuple"
        )
    if array.dtype.kind not in "biufc":
        raise InvalidGraphError(f"a dense array must hold numbers, not {array.dtype}")
    if 2 in array.shape and max(array.shape) > 2 and array.dtype.kind in "iu":
        _warn_of_edges(array)
    rows, cols = np.nonzero(array)
    return BipartiteGraph.from_edges(rows, cols, array.shape)


def _warn_of_edges(array: Any) -> None:
    """Say that what looks like a list of edges is read as a matrix."""
    if array.min() >= 0 and array.max() > 1:
        sides = "array[:, 0], array[:, 1]" if array.shape[1] == 2 else "array[0], array[1]"
        warn(
            f"an array of {array.shape[0]:,} × {array.shape[1]:,} whole numbers is read as a "
            f"matrix; if it lists edges, pass ({sides})"
        )
