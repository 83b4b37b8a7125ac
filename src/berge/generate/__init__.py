"""Graphs to try things on: the classes the papers measure, and the small ones that hurt.

Every function returns a `BipartiteGraph` with sorted rows. Where chance comes in, `seed` decides,
and the same seed gives the same graph on any number of threads. `KINDS` lists what the command
line offers, with names, defaults and descriptions read from the functions themselves.

Symmetric graphs are returned as the biadjacency of their vertices: row i and column i both stand
for vertex i. `delaunay`, `random_geometric`, `road`, `mesh3` and `grid` number their vertices along
the plane, as real meshes come; `permute` gives the papers' permuted sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..errors import OptionError
from ..graphs.graph import BipartiteGraph
from .build import (
    along_strips,
    check_size,
    graph_of,
    named_or_four,
    random_points,
    real,
    seed_number,
    whole,
)
from .kinds import Kind, Parameter
from .odd import nested_blossoms, odd_chain, triangle_chain

__all__ = [
    "GRAPH500_RMAT",
    "KINDS",
    "PAPER_RMAT",
    "Kind",
    "Parameter",
    "chain",
    "complete",
    "delaunay",
    "erdos_renyi",
    "grid",
    "hidden_perfect",
    "jacobian",
    "karp_sipser_hard",
    "layered",
    "mesh3",
    "nested_blossoms",
    "odd_chain",
    "permute",
    "power_law",
    "random_geometric",
    "rmat",
    "road",
    "star",
    "triangle_chain",
]

GRAPH500_RMAT = (0.57, 0.19, 0.19, 0.05)
PAPER_RMAT = (0.45, 0.15, 0.15, 0.25)
_RMAT = {"graph500": GRAPH500_RMAT, "paper": PAPER_RMAT}


def rmat(
    scale: int,
    edges_per_vertex: int = 16,
    *,
    probabilities: Sequence[float] | str = GRAPH500_RMAT,
    seed: int = 0,
    duplicates: bool = False,
) -> BipartiteGraph:
    """RMAT (Kronecker) graph as Graph500 makes it: a few hubs, many vertices without an edge.

    Stands for scale-free and web graphs: kron_g500 and the RMAT sets of the papers.

    Parameters
    ----------
    scale
        There are 2**scale rows and as many columns, renamed at random.
    edges_per_vertex
        Edges drawn per row; repeats among them are dropped.
    probabilities
        Of the four quadrants, or "graph500", or "paper" (0.45, 0.15, 0.15, 0.25).
    seed
        Chooses the graph.
    duplicates
        Keep repeated edges.

    Examples
    --------
    >>> from berge import generate
    >>> generate.rmat(4, 2, duplicates=True)
    BipartiteGraph(16 × 16, 32 edges)
    """
    from .kernels import rmat_edges

    scale = whole("scale", scale, 0, 30)
    n_edges = whole("edges_per_vertex", edges_per_vertex) << scale
    quadrants = named_or_four("probabilities", probabilities, _RMAT)
    check_size(2**scale, n_edges, scale=scale, edges_per_vertex=edges_per_vertex)
    rows, cols = rmat_edges(seed_number(seed), scale, n_edges, quadrants)
    return graph_of(rows, cols, (2**scale, 2**scale), repeats=not duplicates)


def erdos_renyi(
    n_rows: int,
    n_cols: int,
    n_edges: int | None = None,
    *,
    average_degree: float | None = None,
    seed: int = 0,
) -> BipartiteGraph:
    """Uniformly random graph with exactly so many edges, all different.

    On square ones the degree-one rule of Karp–Sipser finds almost all of the maximum up to an
    average degree of e = 2.718, and begins to need luck above it.

    Parameters
    ----------
    n_rows, n_cols
        Size of the two sides.
    n_edges
        Number of edges; either this or average_degree.
    average_degree
        Edges per row.
    seed
        Chooses the graph.

    Examples
    --------
    >>> from berge import generate
    >>> generate.erdos_renyi(100, 80, average_degree=2.5)
    BipartiteGraph(100 × 80, 250 edges)
    """
    from .kernels import distinct_edges

    n_rows, n_cols = whole("n_rows", n_rows), whole("n_cols", n_cols)
    if (n_edges is None) == (average_degree is None):
        raise OptionError(
            "give one of n_edges and average_degree, "
            f"not n_edges={n_edges!r} and average_degree={average_degree!r}"
        )
    if average_degree is not None:
        n_edges = round(n_rows * real("average_degree", average_degree, 0, n_cols))
    n_edges = whole("n_edges", n_edges, 0, n_rows * n_cols)
    check_size(max(n_rows, n_cols), n_edges, n_rows=n_rows, n_cols=n_cols, n_edges=n_edges)
    rows, cols = distinct_edges(seed_number(seed), n_rows, n_cols, n_edges)
    return graph_of(rows, cols, (n_rows, n_cols))


def power_law(
    n_rows: int,
    n_cols: int,
    average_degree: float = 8.0,
    exponent: float = 2.5,
    *,
    seed: int = 0,
) -> BipartiteGraph:
    """Random graph whose degrees on both sides follow a power law (Chung–Lu).

    Stands for social, citation and co-authorship graphs, rectangular ones too.

    Parameters
    ----------
    n_rows, n_cols
        Size of the two sides; vertices are renamed at random.
    average_degree
        Edges drawn per row; repeats among them are dropped.
    exponent
        Of the degrees: the share of vertices of degree d falls like d**-exponent; above 2.
    seed
        Chooses the graph.

    Examples
    --------
    >>> from berge import generate
    >>> generate.power_law(1000, 500, 4).row_degrees.max() > 40
    np.True_
    """
    from .kernels import key_of, permutation, uniform

    n_rows, n_cols = whole("n_rows", n_rows), whole("n_cols", n_cols)
    n_edges = round(n_rows * real("average_degree", average_degree, 0, n_cols))
    if real("exponent", exponent, 2) == 2:
        raise OptionError("exponent must be above 2, not 2")
    check_size(
        n_rows + n_cols, n_edges, n_rows=n_rows, n_cols=n_cols, average_degree=average_degree
    )
    # Vertex i has weight i**-a with a = 1 / (exponent - 1); the inverse of the weights' sum is
    # n u**(1 / (1 - a)).
    power = (exponent - 1) / (exponent - 2)
    ends = []
    for side, size in enumerate((n_rows, n_cols)):
        ranks = uniform(key_of(seed_number(seed), 2 * side), n_edges) ** power
        ranks *= size
        names = permutation(key_of(seed, 2 * side + 1), size)
        ends.append(names[ranks.astype(np.int32)])
    return graph_of(ends[0], ends[1], (n_rows, n_cols), repeats=True)


def delaunay(n: int, *, seed: int = 0) -> BipartiteGraph:
    """Delaunay triangulation of random points in the unit square, as delaunay_n20 and its kin.

    Symmetric, without diagonal, average degree just below 6; the maximum matching is all but
    perfect.

    Parameters
    ----------
    n
        Number of points.
    seed
        Chooses the points.

    Examples
    --------
    >>> from berge import generate
    >>> generate.delaunay(100).shape
    (100, 100)
    """
    n = whole("n", n)
    check_size(n, 30 * n, n=n)
    points = random_points(n, seed)
    if n < 3:
        return graph_of(np.arange(n - 1), np.arange(1, n), (n, n), mirror=True)
    from scipy.spatial import Delaunay

    corners = Delaunay(points).simplices
    ends, others = corners[:, [0, 1, 2]].ravel(), corners[:, [1, 2, 0]].ravel()
    return graph_of(ends, others, (n, n), mirror=True, repeats=True)


def random_geometric(n: int, radius: float | None = None, *, seed: int = 0) -> BipartiteGraph:
    """Random points in the unit square, joined where closer than a radius, as rgg_n_2_20.

    Symmetric, without diagonal.

    Parameters
    ----------
    n
        Number of points.
    radius
        Largest distance of neighbours; 0.55 sqrt(ln n / n) unless given, at which the graph is
        just about connected.
    seed
        Chooses the points.

    Examples
    --------
    >>> from berge import generate
    >>> generate.random_geometric(50, 2).nnz == 50 * 49
    True
    """
    n = whole("n", n)
    if radius is None:
        radius = 0.55 * math.sqrt(math.log(n) / n) if n else 0.0
    radius = real("radius", radius, 0)
    check_size(n, 3 * round(n * n * min(1, math.pi * radius * radius)), n=n, radius=radius)
    from scipy.spatial import cKDTree

    if n == 0:
        return complete(0, 0)
    pairs = cKDTree(random_points(n, seed)).query_pairs(radius, output_type="ndarray")
    return graph_of(pairs[:, 0], pairs[:, 1], (n, n), mirror=True)


def mesh3(n: int, *, seed: int = 0) -> BipartiteGraph:
    """Mesh of degree at most 3: the triangles of a Delaunay triangulation, joined across edges.

    Symmetric, without diagonal. Stands for hugetrace, hugetric and hugebubbles, on which
    augmenting paths grow long.

    Parameters
    ----------
    n
        Number of triangles.
    seed
        Chooses the triangulation.

    Examples
    --------
    >>> from berge import generate
    >>> generate.mesh3(100).row_degrees.max()
    np.int32(3)
    """
    n = whole("n", n)
    check_size(n, 30 * n, n=n)
    from scipy.spatial import Delaunay

    # p points with h on the hull make 2 p - 2 - h triangles, and h grows like log p.
    points = random_points(n // 2 + 4 * n.bit_length() + 8, seed)
    triangles = Delaunay(points)
    order = along_strips(points[triangles.simplices].mean(axis=1))
    place = np.empty(order.size + 1, np.int32)
    place[order] = np.arange(order.size)
    place[-1] = order.size  # what lies across the hull: place -1 of the neighbours
    across = place[triangles.neighbors[order[:n]]]
    rows = np.repeat(np.arange(n, dtype=np.int32), 3)
    inside = across.ravel() < n
    return graph_of(rows[inside], across.ravel()[inside], (n, n))


def grid(width: int, height: int) -> BipartiteGraph:
    """Five-point stencil on a rectangle, diagonal included, as ecology1 (1000 by 1000).

    Symmetric; the diagonal is a perfect matching of width * height edges.

    Parameters
    ----------
    width, height
        Points in each direction, numbered line by line.

    Examples
    --------
    >>> from berge import generate
    >>> generate.grid(10, 10)
    BipartiteGraph(100 × 100, 460 edges)
    """
    width, height = whole("width", width), whole("height", height)
    n = width * height
    check_size(n, 5 * n, width=width, height=height)
    v = np.arange(n, dtype=np.int32)
    x, y = v % max(width, 1), v // max(width, 1)
    there = np.column_stack([y > 0, x > 0, v >= 0, x < width - 1, y < height - 1])
    neighbours = v[:, np.newaxis] + np.array([-width, -1, 0, 1, width], np.int32)
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return BipartiteGraph._adopted(indptr, neighbours[there], (n, n))


def road(
    width: int,
    height: int,
    *,
    drop: float = 0.3,
    subdivide: float = 0.7,
    seed: int = 0,
) -> BipartiteGraph:
    """Road-like network: a grid of crossings with streets missing and streets of many pieces.

    Symmetric, without diagonal. The defaults give an average degree of about 2.4, as road_usa has,
    and about twice as many vertices as crossings.

    Parameters
    ----------
    width, height
        Crossings in each direction; one that lost all streets is left out.
    drop
        Share of the grid's streets that are missing.
    subdivide
        Points inserted into a street on average (geometrically distributed); more of them bring
        the average degree down to 2, as in europe_osm.
    seed
        Chooses the network.

    Examples
    --------
    >>> from berge import generate
    >>> generate.road(2, 3, drop=0, subdivide=0)
    BipartiteGraph(6 × 6, 14 edges)
    """
    from .kernels import key_of, uniform

    width, height = whole("width", width), whole("height", height)
    drop, subdivide = real("drop", drop, 0, 1), real("subdivide", subdivide, 0, 1e6)
    n = width * height
    expected = n + round(2 * n * (1 - drop) * (1 + subdivide))
    check_size(expected, 2 * expected, width=width, height=height, subdivide=subdivide)
    # Crossing c owns the street to its right and the one below, in this order.
    c = np.arange(n)
    there = np.column_stack([c % max(width, 1) < width - 1, c < n - width])
    there &= uniform(key_of(seed_number(seed), 0), 2 * n).reshape(n, 2) >= drop
    inserted = np.zeros((n, 2), np.int64)
    if subdivide > 0:
        u = 1 - uniform(key_of(seed, 1), 2 * n).reshape(n, 2)
        inserted[there] = np.log(u[there]) / math.log(subdivide / (1 + subdivide))
    alive = np.logical_or(there[:, 0], there[:, 1])
    alive[1:] |= there[:-1, 0]
    alive[width:] |= there[: max(n - width, 0), 1]
    # A crossing is numbered first, then the points of its own streets.
    sizes = alive + inserted.sum(axis=1)
    crossing = np.cumsum(sizes) - sizes
    owner, direction = np.nonzero(there)
    pieces = inserted[owner, direction] + 1
    first = crossing[owner] + 1 + np.where(direction == 1, inserted[owner, 0], 0)
    far = crossing[owner + np.where(direction == 1, width, 1)]
    # Piece j of a street runs from its point j - 1, or its crossing, to its point j, or the other.
    last = np.cumsum(pieces) - 1
    step = np.arange(int(pieces.sum())) - np.repeat(last + 1 - pieces, pieces)
    others = np.repeat(first, pieces) + step
    ends = others - 1
    ends[last + 1 - pieces] = crossing[owner]
    others[last] = far
    return graph_of(ends, others, (int(sizes.sum()),) * 2, mirror=True)


def hidden_perfect(n: int, extra: int = 3, *, seed: int = 0) -> BipartiteGraph:
    """Random perfect matching hidden among random edges: the maximum is n.

    Parameters
    ----------
    n
        Number of rows and of columns.
    extra
        Random edges per row besides; repeats are dropped.
    seed
        Chooses the graph.

    Examples
    --------
    >>> from berge import generate
    >>> generate.hidden_perfect(5, 0)
    BipartiteGraph(5 × 5, 5 edges)
    """
    from .kernels import integers, key_of, permutation

    n, extra = whole("n", n), whole("extra", extra)
    check_size(n, n * (extra + 1), n=n, extra=extra)
    hidden = permutation(key_of(seed_number(seed), 0), n)
    cols = np.concatenate([hidden, integers(key_of(seed, 1), n, n * extra)])
    rows = np.tile(np.arange(n, dtype=np.int32), extra + 1)
    return graph_of(rows, cols, (n, n), repeats=True)


def chain(links: int) -> BipartiteGraph:
    """Path on which a greedy start ends one short, and one augmenting path visits every vertex.

    If each row takes its first free column, row i takes column i, the last row and the last
    column stay free, and all else lies on the path between them. The maximum is `links`, and only
    one matching reaches it.

    Parameters
    ----------
    links
        Number of rows and of columns.

    Examples
    --------
    >>> from berge import generate
    >>> generate.chain(4).to_scipy().toarray()
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1],
           [1, 0, 0, 0]], dtype=int8)
    """
    n = whole("links", links)
    check_size(n, 2 * n, links=links)
    rows = np.arange(2 * n) // 2
    cols = (np.arange(2 * n) + 1) // 2
    if n:
        rows, cols = rows[:-1], cols[:-1]
        cols[-1] = 0
    return graph_of(rows, cols, (n, n))


def layered(levels: int) -> BipartiteGraph:
    """Small graph on which a depth-first search that forgets dead ends takes 2**levels steps.

    scipy's ``maximum_bipartite_matching`` does (scipy issue 26147). A greedy start gives each row
    but the last its own column. The last then searches through layers of two rows, each joined to
    both columns of the next layer. These end nowhere. Only then it tries the path of equal depth
    that ends in a free column. The maximum is perfect: 3 * levels + 1.

    Parameters
    ----------
    levels
        Number of layers.

    Examples
    --------
    >>> from berge import generate
    >>> generate.layered(40)
    BipartiteGraph(121 × 121, 319 edges)
    """
    levels = whole("levels", levels)
    n = 3 * levels + 1
    check_size(n, 8 * levels + 1, levels=levels)
    # Rows: the path, the layers, the free row. Columns: the path and its free end, the layers.
    # In this order a stack of candidates comes to the path only after all layers.
    path = np.arange(levels)
    layers = np.arange(levels, n - 1)  # two a layer; the own column of row r is r + 1
    down = np.repeat(layers[:-2], 2)
    k = np.arange(down.size)
    top = np.array([0, levels + 1, levels + 2] if levels else [0])
    rows = np.concatenate([path, path, layers, down, np.full(top.size, n - 1)])
    cols = np.concatenate([path, path + 1, layers + 1, levels + 3 + 2 * (k // 4) + k % 2, top])
    return graph_of(rows, cols, (n, n))


def jacobian(n: int, levels: int = 40, states: int = 29, *, seed: int = 0) -> BipartiteGraph:
    """Square pattern of a Jacobian in stages: layered equations and coupled states, in a band.

    Stands for the systems of equations of process and circuit simulators, such as the 15 231²
    Jacobian of scipy issue 26147, on which scipy's ``structural_rank`` does not come to its end. A
    stage has the equations of `layered`, each a diagonal block of its own, and states in a
    tridiagonal block, each with two entries in random columns of the next stage. The maximum is
    perfect.

    Parameters
    ----------
    n
        Number of rows and of columns; what does not fill a stage becomes states of the last one.
    levels
        Layers of a stage; scipy takes a minute with 24, and twice as long with each one more.
    states
        Coupled states of a stage.
    seed
        Chooses the entries in the next stage.

    Examples
    --------
    >>> import berge
    >>> A = berge.generate.jacobian(15_000)
    >>> A
    BipartiteGraph(15,000 × 15,000, 46,129 edges)
    >>> berge.dulmage_mendelsohn(A)
    DulmageMendelsohn(under 0 × 0, square 15,000 × 15,000 in 12,200 blocks, over 0 × 0)
    """
    from .kernels import integers, key_of

    n, levels, states = whole("n", n), whole("levels", levels), whole("states", states)
    check_size(n, 5 * n, n=n, levels=levels, states=states)
    equations = layered(levels)
    size = equations.n_rows + states
    begins = np.arange(n // size) * size
    ends = begins + size
    if ends.size:
        ends[-1] = n
    own_rows = np.repeat(np.arange(equations.n_rows), equations.row_degrees)
    rows = [np.add.outer(begins, own_rows).ravel()]
    cols = [np.add.outer(begins, equations.indices).ravel()]
    is_state = np.ones(n, np.bool_)
    is_state[np.add.outer(begins, np.arange(equations.n_rows)).ravel()] = False
    state = np.flatnonzero(is_state)
    rows.append(state)
    cols.append(state)
    above = state[:-1][np.diff(state) == 1]  # the next row is a state of the same stage
    rows += [above, above + 1]
    cols += [above + 1, above]
    stage = np.searchsorted(ends, state, side="right")
    coupled = np.repeat(state[stage + 1 < ends.size], 2)
    following = np.repeat(stage[stage + 1 < ends.size], 2) + 1
    rows.append(coupled)
    cols.append(begins[following] + integers(key_of(seed_number(seed), 0), size, coupled.size))
    return graph_of(np.concatenate(rows), np.concatenate(cols), (n, n), repeats=True)


def star(n: int, *, transpose: bool = False) -> BipartiteGraph:
    """One row joined to n columns: the maximum is 1.

    Parameters
    ----------
    n
        Number of columns.
    transpose
        Make it one column joined to n rows.

    Examples
    --------
    >>> from berge import generate
    >>> generate.star(5, transpose=True)
    BipartiteGraph(5 × 1, 5 edges)
    """
    n = whole("n", n)
    return complete(n, 1) if transpose else complete(1, n)


def complete(n_rows: int, n_cols: int) -> BipartiteGraph:
    """Every row joined to every column: the maximum is the smaller side.

    Parameters
    ----------
    n_rows, n_cols
        Size of the two sides.

    Examples
    --------
    >>> from berge import generate
    >>> generate.complete(3, 4)
    BipartiteGraph(3 × 4, 12 edges)
    """
    n_rows, n_cols = whole("n_rows", n_rows), whole("n_cols", n_cols)
    check_size(max(n_rows, n_cols), n_rows * n_cols, n_rows=n_rows, n_cols=n_cols)
    indices = np.tile(np.arange(n_cols, dtype=np.int32), n_rows)
    return BipartiteGraph._adopted(np.arange(n_rows + 1) * n_cols, indices, (n_rows, n_cols))


def karp_sipser_hard(n: int, t: int = 32) -> BipartiteGraph:
    """Graph on which the Karp–Sipser heuristic falls far short of the perfect matching.

    The rows are in halves R1, R2 and the columns in halves C1, C2. R1 × C1 is full and R2 × C2 is
    empty. R1 × C2 and R2 × C1 are diagonals, which are the perfect matching. From t = 2 on no
    vertex has degree one, so the heuristic has to guess. It mostly guesses an edge of R1 × C1,
    which costs one of the n.

    Parameters
    ----------
    n
        Number of rows and of columns, even.
    t
        The last t rows of R1 and the last t columns of C1 are full.

    References
    ----------
    Duff, Kaya, Uçar: Design, implementation, and analysis of maximum transversal algorithms.
    ACM TOMS 38 (2011). Dufossé, Kaya, Uçar: Two approximation algorithms for bipartite matching on
    multicore architectures. J. Parallel Distrib. Comput. 85 (2015).

    Examples
    --------
    >>> from berge import generate
    >>> generate.karp_sipser_hard(6, 1).to_scipy().toarray()
    array([[1, 1, 1, 1, 0, 0],
           [1, 1, 1, 0, 1, 0],
           [1, 1, 1, 1, 1, 1],
           [1, 0, 1, 0, 0, 0],
           [0, 1, 1, 0, 0, 0],
           [0, 0, 1, 0, 0, 0]], dtype=int8)
    """
    n = whole("n", n)
    if n % 2:
        raise OptionError(f"n must be even, not {n}")
    half = n // 2
    t = whole("t", t, 0, half)
    check_size(n, half * half + 2 * t * half + n, n=n, t=t)
    c1, full = np.arange(half, dtype=np.int32), np.arange(n, dtype=np.int32)
    tail = c1[half - t :]
    rows = [np.append(c1, full[half + i]) for i in range(half - t)] + [full] * t
    rows += [np.append(c1[i], tail) for i in range(half - t)] + [tail] * t
    indptr = np.cumsum([0, *(row.size for row in rows)])
    return BipartiteGraph._adopted(indptr, np.concatenate([*rows, full[:0]]), (n, n))


def permute(graph: BipartiteGraph, *, seed: int = 0) -> BipartiteGraph:
    """Return the graph with rows and columns in random order, as in the papers' permuted sets.

    Labels move with their vertices. O(rows + columns + edges).

    Parameters
    ----------
    graph
        Left as it is.
    seed
        Chooses the order.

    Examples
    --------
    >>> from berge import generate
    >>> generate.permute(generate.star(5))
    BipartiteGraph(1 × 5, 5 edges)
    """
    from .kernels import key_of, permutation

    whole("the number of vertices of a side", max(graph.shape))
    row_order = permutation(key_of(seed_number(seed), 0), graph.n_rows)
    col_order = permutation(key_of(seed, 1), graph.n_cols)
    return graph.reordered(row_order, col_order)


_FUNCTIONS: tuple[Callable[..., BipartiteGraph], ...] = (
    rmat, erdos_renyi, power_law, delaunay, random_geometric, mesh3, grid, road, hidden_perfect,
    chain, layered, jacobian, star, complete, karp_sipser_hard,
    nested_blossoms, triangle_chain, odd_chain,
)  # fmt: skip
KINDS: dict[str, Kind] = {
    name: Kind(name, function)
    for function in _FUNCTIONS
    for name in [function.__name__.removeprefix("random_").replace("_", "-")]
}
