"""Algorithm 3 of the greedy paper on a small mesh, with colours by other rules than the paper's.

What the paper says of its colours is found out with them: that a quarter of MD5 will do, and that
the same colours in every round will not. berge itself has the paper's colours only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from berge import generate
from berge.graphs.graph import Graph
from berge.ingest import as_graph
from berge.methods.greedy.colour import is_blue, multiplier, threshold
from berge.solve.greedy import BLUE

__all__ = ["Colour", "free_pairs", "full_md5", "matched", "mesh", "quarter_md5", "size"]

Colour = Callable[[int, int], bool]  # of a vertex and the round's multiplier: whether it is blue
Mates = npt.NDArray[np.int64]
ROUNDS = 60  # after which nothing is said to change any more


@cache
def mesh() -> Graph:
    """Return a grid, its vertices in random order."""
    grid = as_graph(generate.grid(24, 24))
    order = np.random.default_rng(0).permutation(grid.n_vertices)
    ends = grid.to_scipy().tocoo()
    return Graph.from_edges(order[ends.row], order[ends.col], grid.n_vertices)


@cache
def full_md5(v: int, r: int) -> bool:
    """Colour by all 64 steps of MD5, of the words v, r·v, …, r¹⁵·v."""
    words = [v * pow(r, k, 2**32) % 2**32 for k in range(16)]
    digest = hashlib.md5(np.array(words, "<u4").tobytes(), usedforsecurity=False).digest()
    return int(np.frombuffer(digest, "<u4").sum(dtype=np.uint64)) % 2**32 < BLUE * 2**32


def quarter_md5(v: int, r: int) -> bool:
    """Colour as berge does, by Algorithm 4."""
    plain = getattr(is_blue, "py_func", is_blue)
    return bool(plain(v, r, int(threshold(BLUE))))


def matched(graph: Graph, colour: Colour, seed: int = 0) -> Mates:
    """Match by Algorithm 3: a blue vertex proposes to its first red neighbour that is free."""
    random = np.random.default_rng(seed)
    mate = np.full(graph.n_vertices, -1)
    left = list(range(graph.n_vertices))
    for _ in range(ROUNDS):
        r = int(multiplier(random))
        blue = {v: colour(v, r) for v in left}
        proposals: dict[int, int] = {}
        alive = []
        for v in left:
            free = [int(w) for w in graph.indices[graph.indptr[v] : graph.indptr[v + 1]]
                    if mate[w] < 0]  # fmt: skip
            if free:
                alive.append(v)
            if blue[v]:
                red = next((w for w in free if not blue[w]), None)
                if red is not None:
                    proposals.setdefault(red, v)
        for w, v in proposals.items():
            mate[v], mate[w] = w, v
        left = [v for v in alive if mate[v] < 0]
    return mate


def size(mate: Mates) -> int:
    """Return the number of pairs."""
    return int(np.count_nonzero(mate >= 0)) // 2


def free_pairs(graph: Graph, mate: Mates) -> int:
    """Return how many edges have both ends free: none, if the matching is maximal."""
    ends = np.repeat(np.arange(graph.n_vertices), graph.degrees)
    return int(np.count_nonzero((mate[ends] < 0) & (mate[graph.indices] < 0))) // 2
