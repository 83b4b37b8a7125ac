"""How good it is to merge the two ends of an edge: what the matching of a level is weighted by.

An edge of weight w between vertices of weights c(u) and c(v) is rated w / √(c(u) · c(v)): the same
order of edges as by the reference's ``expansion*2``, w² / (c(u) · c(v)). Heavy edges come
first, whose weight then disappears inside a coarse vertex, and among those the ones between light
vertices, which keeps the coarse vertices alike.

Ties are the rule, since most graphs begin with weights of one. A random number, a hash of both
ends, adds up to 2⁻¹⁶ of the rating. So hardly two ratings are equal, and methods that take locally
heaviest edges have one result on any number of threads.

``heavy-edge`` rates an edge by w alone, ``random`` by the random number alone.

An edge whose ends are too heavy together gets −1: it must not be matched.

Work O(n + m), shared out by vertices; each entry is written by the one thread that has its vertex.
Memory: 8 bytes an entry.

Reference: M. Holtgrewe, P. Sanders, C. Schulz, "Engineering a scalable high quality graph
partitioner", IPDPS 2010.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from ...compile import next_chunk, share_out
from ...compile.random import draw_unit, key_of, wrapping
from ...graphs.graph import Graph, IndexArray, Weights, unsigned
from ...tuning import CHUNK, EDGES_PER_CALL

__all__ = ["RATINGS", "RatingName", "allowed_edges", "rate"]

RatingName = Literal["expansion", "heavy-edge", "random"]
RATINGS: tuple[str, ...] = get_args(RatingName)
CURSOR = 0  # entry of `state`: the next vertex to hand out
TIES = 2.0**-16


class Arrays(NamedTuple):
    """What the kernel works on."""

    indptr: Any
    indices: Any
    weights: Any  # empty if all are one
    vertex_weights: Any
    scale: Any  # 1 / √c(v)
    rating: Any
    state: Any
    blocked: Any  # of each thread, whether it met an edge that is too heavy


@wrapping
def rate(
    graph: Graph,
    vertex_weights: Weights,
    limit: float,
    seed: int,
    level: int,
    threads: int,
    kind: RatingName = "expansion",
) -> tuple[Weights, bool]:
    """Return the rating of every entry, and whether any is −1."""
    positive = vertex_weights[vertex_weights > 0]
    # A vertex that weighs nothing counts as the lightest of the others.
    light = np.maximum(vertex_weights, positive.min() if positive.size else 1.0)
    a = Arrays(
        indptr=unsigned(graph.indptr),
        indices=unsigned(graph.indices),
        weights=np.empty(0) if graph.weights is None or kind == "random" else graph.weights,
        vertex_weights=vertex_weights,
        scale=1 / np.sqrt(light) if kind == "expansion" else np.ones(light.size),
        rating=np.empty(graph.indices.size),
        state=np.zeros(1, np.int64),
        blocked=np.zeros(threads, np.uint8),
    )
    key = key_of(seed, level)
    while a.state[CURSOR] < graph.n_vertices:
        rate_share(threads, a, limit, key, EDGES_PER_CALL)
    return a.rating, bool(a.blocked.any())


def allowed_edges(graph: Graph, rating: Weights) -> Graph:
    """Return the graph of the edges that may be matched, weighted by their rating."""
    kept: npt.NDArray[np.bool_] = rating >= 0
    before = np.zeros(rating.size + 1, graph.indptr.dtype)
    np.cumsum(kept, out=before[1:])
    indptr: IndexArray = before[graph.indptr]
    return Graph._trusted(indptr, graph.indices[kept], rating[kept])


@share_out
def rate_share(t: int, shared: bool, a: Any, limit: float, key: Any, budget: int) -> None:
    """Rate the edges of thread t's vertices, chunk by chunk, until some `budget` were seen."""
    indptr, indices, weights, scale = a.indptr, a.indices, a.weights, a.scale
    vertex_weights, rating = a.vertex_weights, a.rating
    n = indptr.size - 1
    while budget > 0:
        first, last = next_chunk(a.state, CURSOR, n, CHUNK, True)
        if first >= last:
            break
        for u in range(first, last):
            for k in range(indptr[u], indptr[u + 1]):
                v = np.int64(indices[k])
                if vertex_weights[u] + vertex_weights[v] > limit:
                    rating[k] = -1.0
                    a.blocked[t] = 1
                else:
                    w = weights[k] if weights.size > 0 else 1.0
                    tie = draw_unit(key, min(u, v) * n + max(u, v))
                    rating[k] = w * (scale[u] * scale[v]) * (1.0 + TIES * tie)
        budget -= np.int64(indptr[last] - indptr[first])
