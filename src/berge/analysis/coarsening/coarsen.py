"""`coarsen`: match, merge, contract, and again, until the graph is small.

Each step rates the edges (`rating`), matches the graph by these ratings (`berge.greedy_matching`),
pairs what the matching has left over (`two_hop`), and contracts the clusters (`contract`).

Reference: B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching", 2012;
G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs",
SIAM J. Sci. Comput. 20, 1998.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import OptionError
from ...graphs.graph import Graph, IndexArray, Weights
from ...graphs.owned import sealed, settle
from ...hints import with_hints
from ...results.under_way import UnderWay
from ...settings import GreedyName
from ...tuning import SLOWEST
from ...wording import plural
from .apart import Apart
from .hierarchy import Hierarchy, Level
from .rating import RATINGS, RatingName

__all__ = ["Aims", "clusters", "coarsen", "descend"]

UNTIL = 1000


@with_hints
def coarsen(
    graph: Any,
    *,
    levels: int | None = None,
    until: int | None = None,
    method: GreedyName = "auto",
    balance: float | None = 3.0,
    weights: Any = None,
    vertex_weights: Any = None,
    rating: RatingName = "expansion",
    blocks: Any = None,
    fixed: Any = None,
    seed: int = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    on_level: Callable[[Level], object] | None = None,
) -> Hierarchy:
    """Make a graph smaller step by step, by merging the vertices that a matching pairs.

    Heavy edges are matched first, and among those the ones between light vertices. Weights of
    vertices and of parallel edges add up, so the cut of a partition weighs the same on every level.
    Vertices that a matching leaves over, as in stars, are merged with others of the same
    neighbours, so that no graph with many of them is stuck.

    Parameters
    ----------
    graph
        A `Graph`, or anything that `as_graph` takes.
    levels
        At most so many steps.
    until
        Stop at no more than so many vertices; by default 1000, or 1 if `levels` is given.
    method
        How to match, as in `greedy_matching`; ``"auto"`` is ``"suitor"``.
    balance
        No vertex may become heavier than this times the average on the level aimed at, which has
        `until` vertices (after `levels` halvings, if these end before). Below 2 the limit may keep
        a graph from getting there. None for no limit.
    weights
        Of the edges, as in `as_graph`: True for the source's own, or an array.
    vertex_weights
        What each vertex weighs; by default what the graph says, or 1.
    rating
        Which edges are matched first: ``"expansion"``, heavy ones between light vertices;
        ``"heavy-edge"``, heavy ones; ``"random"``, any.
    blocks
        A whole number for each vertex: only vertices of one block are merged, so that a partition
        that is there already can be refined on every level.
    fixed
        For each vertex the part that it is fixed to, or −1. Vertices of different parts are never
        merged.
    seed
        Chooses among equally good edges.
    threads
        By default as many as numba has. Any number gives the same result, with every method but
        ``"single-pass"``.
    time_limit
        Seconds after which no further level is begun.
    progress
        Say on stderr when a level is done.
    on_level
        Called with every new `Level`.

    Returns
    -------
    Hierarchy
        The levels, and the reason for stopping. Ctrl-C stops too: the levels made so far are
        returned.

    Raises
    ------
    InvalidGraphError
        If the graph is not one, or a weight is negative or not a number.
    OptionError
        If another argument has a value that is not allowed.

    Examples
    --------
    >>> import berge
    >>> h = berge.coarsen(berge.generate.grid(100, 100), until=200)
    >>> h.check()                      # no weight is lost
    >>> float(h.coarsest.vertex_weights.sum())
    10000.0
    >>> star = ([0] * 100, list(range(1, 101)))
    >>> berge.coarsen(star, levels=1)
    Hierarchy(101 → 51 vertices in 1 step: 1 level made)

    Notes
    -----
    O(n + m) a level, and about twice that in all. Memory: some 24 bytes an entry of the level
    under way (an edge has two entries) besides the levels themselves. Weights that are not whole
    numbers are rounded once, to a part in 2⁵⁰ of their sum, so that all further sums are exact.
    """
    from ...ingest import as_graph
    from .contract import contract, exact_weights

    aims = Aims(
        levels, until, method, balance, seed, threads, time_limit, progress, on_level, rating
    ).checked()
    finest = start = as_graph(graph, weights=weights, vertex_weights=vertex_weights)
    apart = Apart.of(blocks, fixed, finest.n_vertices)
    if start.weights is not None:
        start = Graph._trusted(
            start.indptr, start.indices, exact_weights(start.weights), start.vertex_weights
        )

    def cluster(graph: Graph, limit: float, level: int) -> tuple[IndexArray, int]:
        nonlocal apart
        coarse, n_coarse = clusters(
            graph, graph.indptr, graph.indices, graph.degrees, limit, level, aims, apart
        )
        apart = None if apart is None else apart.coarser(coarse, n_coarse)
        return coarse, n_coarse

    return descend(finest, start, cluster, contract, aims)


@dataclass(frozen=True)
class Aims:
    """Where to go, and how: the options that `coarsen` explains."""

    levels: int | None
    until: int | None
    method: GreedyName
    balance: float | None
    seed: int
    threads: int | None
    time_limit: float | None
    progress: bool
    on_level: Callable[[Level], object] | None
    rating: RatingName = "expansion"

    def checked(self) -> Aims:
        """Check the options; return them with what they mean by default."""
        from ...compile import threads_of
        from ...methods.registry import check_numbers
        from ...solve.default import choose_greedy

        for name, value, least in (("levels", self.levels, 0), ("until", self.until, 1)):
            if value is not None and (not isinstance(value, (int, np.integer)) or value < least):
                raise OptionError(f"{name} must be a whole number from {least} on, not {value!r}")
        if self.balance is not None and not self.balance >= 1:
            raise OptionError(f"balance must be a number from 1 on, not {self.balance!r}")
        if self.rating not in RATINGS:
            raise OptionError(f"rating must be one of {', '.join(RATINGS)}, not {self.rating!r}")
        check_numbers(self.seed, self.time_limit)
        method = choose_greedy(self.method, weighted=True).name  # by ratings
        until = (UNTIL if self.levels is None else 1) if self.until is None else self.until
        return replace(self, until=until, method=method, threads=threads_of(self.threads))

    def limit(self, graph: Any) -> float:
        """Return the weight that no vertex may pass by being merged."""
        if self.balance is None:
            return math.inf
        aim = float(self.until or 1)
        if self.levels is not None:
            aim = max(aim, graph.n_vertices / 2.0 ** min(self.levels, 60))
        return self.balance * float(weights_of(graph).sum()) / aim


def clusters(
    graph: Graph,
    indptr: IndexArray,
    indices: IndexArray,
    sizes: IndexArray,
    limit: float,
    level: int,
    aims: Aims,
    apart: Apart | None = None,
) -> tuple[IndexArray, int]:
    """Match a graph, and pair what is left over by the neighbours, or nets, that it shares.

    Return for each vertex the number of its cluster, and the number of clusters. The neighbours or
    nets of each vertex are ``indptr, indices``; `sizes` tells how many vertices each of them has.
    """
    from ...solve.greedy import greedy_matching
    from .contract import number
    from .rating import allowed_edges, rate
    from .two_hop import join_neighbours, pair_leftovers

    weights = weights_of(graph)
    rating, blocked = rate(graph, weights, limit, aims.seed, level, aims.threads, aims.rating)
    if apart is not None:
        ends = np.repeat(np.arange(graph.n_vertices), graph.degrees)
        rating[~apart.may_merge(ends, graph.indices)] = -1.0
        blocked = True
    rated = Graph._trusted(graph.indptr, graph.indices, rating)
    if blocked:
        rated = allowed_edges(graph, rating)
    matching = greedy_matching(
        rated, method=aims.method, seed=aims.seed + level, threads=aims.threads
    )
    if matching.stopped is not None:
        raise KeyboardInterrupt
    mate = matching.mate.copy()
    pair_leftovers(indptr, indices, sizes, mate, weights, limit)
    names = np.arange(mate.size, dtype=mate.dtype)
    if apart is not None:
        paired = np.flatnonzero(mate >= 0)
        mate[paired[~apart.may_merge(paired, mate[paired])]] = -1
        alone = (mate < 0) & (apart.fixed >= 0)  # the others of a cluster may be fixed elsewhere
        mate[alone] = names[alone]
    head = np.where(mate >= 0, np.minimum(mate, names), names)
    join_neighbours(graph.indptr, graph.indices, rating, mate, head, weights, limit)
    return number(head)


def weights_of(graph: Any) -> Weights:
    """Return the weights of the vertices, ones if there are none."""
    if graph.vertex_weights is None:
        return np.ones(graph.n_vertices)
    return np.ascontiguousarray(graph.vertex_weights, np.float64)


def descend(
    finest: Any,
    start: Any,
    cluster: Callable[[Any, float, int], tuple[IndexArray, int]],
    contract: Callable[[Any, IndexArray, int, int], Any],
    aims: Aims,
) -> Hierarchy:
    """Build the levels of a graph or hypergraph; `start` is `finest` with weights that add up."""
    from ...compile import thread_count, threads_of

    threads, limit = threads_of(aims.threads), aims.limit(start)
    way = UnderWay(time_limit=aims.time_limit)
    made, graph, weight, reason = [Level(finest)], start, start.total_weight, ""
    with way.running():
        while not (reason := _reason_to_stop(graph, len(made) - 1, aims)):
            way.pause()
            began = way.elapsed
            with thread_count(threads):
                coarse, n_coarse = cluster(graph, limit, len(made) - 1)
                if n_coarse > SLOWEST * graph.n_vertices:
                    still = plural(n_coarse, "vertex", "vertices")
                    reason = f"stalled: the next level would still have {still}"
                    break
                smaller = contract(graph, coarse, n_coarse, threads)
            together = sealed(np.bincount(coarse, weights_of(graph), n_coarse))
            if isinstance(smaller, Graph):
                settle(smaller, "vertex_weights", together)
            else:
                smaller = replace(smaller, vertex_weights=together)
            level = Level(
                smaller,
                reduction=graph.n_vertices / n_coarse,
                weight_kept=smaller.total_weight / weight if weight else 1.0,
                seconds=way.elapsed - began,
            )
            made[-1:] = [replace(made[-1], coarse=coarse), level]
            graph = smaller
            if aims.progress:
                print(f"berge: level {len(made) - 1}: {level}", file=sys.stderr, flush=True)
            if aims.on_level is not None:
                aims.on_level(level)
    return Hierarchy(tuple(made), way.stopped or reason, limit)


def _reason_to_stop(graph: Any, steps: int, aims: Aims) -> str:
    """Tell why no further level is wanted; nothing if one is."""
    if graph.n_vertices <= (aims.until or 1):
        return f"no more than {plural(aims.until, 'vertex', 'vertices')} left"
    return f"{plural(steps, 'level')} made" if steps == aims.levels else ""
