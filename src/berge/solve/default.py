"""What "auto" stands for: the only place that knows.

Everything that solves asks here. `maximum_matching` does, and through it scipy's function,
networkx's backend, labels, decomposition and `berge compare`. `greedy_matching` does, and through
it coarsening. So do `out_of_core` for its subgraphs, and solves in parts on Dask and MPI. To change
the default, change this file.

========== ==================================================================================
algorithm  ``mixed``; ``g-pr`` on CUDA; ``out-of-core`` for graphs that stay on the disk
start      ``cheap`` for ``mixed``, on a device, and where a matching is given to begin with;
           ``karp-sipser`` for all others, which gain by fewer phases; none for ``out-of-core``
side       from columns if these are fewer, for ``mixed``; else from rows
threads    all that numba has; algorithms themselves leave small graphs to one
small      a call that asks for nothing special is one compiled call (`small`)
greedy     ``suitor`` by weights, else ``single-pass``, the fastest by measurement (docs/greedy.md)
assign     ``paths-or-scaling``; with capacities ``capacity-auction``
capacity   ``capacity-phases``, for the largest matching with capacities
any graph  ``graft`` from ``degree-one`` for graphs that need not be bipartite (docs/general.md)
in parts   ``distributed-graft`` from ``within-parts``, which is the above on each part's own edges;
           from ``karp-sipser`` where many edges lie between parts, and no part has room for all;
           greedy: ``locally-dominant`` by weights, else ``proposals``
========== ==================================================================================
"""

from __future__ import annotations

from typing import Any

from ..errors import OptionError
from ..methods.assignment.problem import Problem
from ..methods.registry import Algorithm, algorithms, find
from ..results.run import Run

__all__ = [
    "choose",
    "choose_assign",
    "choose_capacity",
    "choose_general",
    "choose_greedy",
    "choose_start_in_parts",
    "choose_weighted",
    "is_plain",
    "search",
    "searches_columns",
]

EXACT, START = "mixed", "cheap"
ON_CUDA, ON_DISK = "g-pr-shr", "out-of-core"
START_OF_OTHERS, START_ON_DISK = "karp-sipser", "none"
GENERAL, GENERAL_START = "graft", "degree-one"
GENERAL_WEIGHTED = "weighted-blossom"
GREEDY, GREEDY_BY_WEIGHT = "single-pass", "suitor"

# For graphs in parts; of the methods, the first is for weights and the second for none.
EXACT_IN_PARTS = "distributed-graft"
STARTS_IN_PARTS = ("within-parts", "karp-sipser", "greedy", "none")
GREEDY_IN_PARTS = ("locally-dominant", "proposals", "weighted-proposals")

# algorithm, init, device, side, initial, time_limit, on_phase, progress, options
_PLAIN: tuple[Any, ...] = ("auto", "auto", "cpu", "auto", None, None, None, False, {})


def is_plain(*asked: Any) -> bool:
    """Whether a call asks for nothing special, so that small graphs take one compiled call."""
    return asked == _PLAIN


def choose(
    algorithm: str, init: str, device: str = "cpu", place: str = "memory", begun: bool = False
) -> tuple[Algorithm, Algorithm]:
    """Return the exact algorithm and its start.

    The graph lies in a `place`: ``"memory"``, ``"disk"`` or ``"device"``. The solve is `begun` if
    there is a matching to begin with.

    Examples
    --------
    >>> from berge.solve.default import choose
    >>> [entry.name for entry in choose("auto", "auto")]
    ['mixed', 'cheap']
    """
    if algorithm == "auto":
        algorithm = ON_DISK if place == "disk" else ON_CUDA if device == "cuda" else EXACT
    if init == "auto":
        init = START if begun or place == "device" or algorithm == EXACT else START_OF_OTHERS
        if algorithm == ON_DISK:
            init = START_ON_DISK  # its first pass makes one
    exact, start = find("exact", algorithm), find("start", init)
    if place == "device" and "cuda" not in start.devices:
        there = ", ".join(a.name for a in algorithms("start") if "cuda" in a.devices)
        raise OptionError(
            f"init {start.name!r} runs on the host, and the graph lies on the device: "
            f"copy it to the host first, or begin with one of {there}"
        )
    return exact, start


def searches_columns(exact: str, shape: tuple[int, int]) -> bool:
    """Whether an algorithm searches from the unmatched columns, if no side is asked for."""
    return exact == EXACT and shape[1] < shape[0]


def search(run: Run) -> None:
    """Make the matching of a run maximum, as the default does."""
    if searches_columns(EXACT, run.graph.shape):
        run.swap_sides()
    find("exact", EXACT).load()(run)


def choose_greedy(method: str, weighted: bool, in_parts: bool = False) -> Algorithm:
    """Return the greedy method for a graph with weights, or without."""
    by_weight, plain = GREEDY_IN_PARTS[:2] if in_parts else (GREEDY_BY_WEIGHT, GREEDY)
    if method == "auto":
        method = by_weight if weighted else plain
    if in_parts and method not in GREEDY_IN_PARTS:
        names = ", ".join(GREEDY_IN_PARTS)
        raise OptionError(f"method on a cluster is one of {names}, not {method!r}")
    return find("greedy", method)


def choose_assign(algorithm: str, problem: Problem) -> Algorithm:
    """Return the algorithm for an assignment by weight."""
    units = problem.row_capacity, problem.col_capacity, problem.row_least, problem.col_least
    if algorithm == "auto":
        one_each = all(given is None for given in units)
        algorithm = "paths-or-scaling" if one_each else "capacity-auction"
    return find("assign", algorithm)


def choose_capacity(algorithm: str) -> Algorithm:
    """Return the algorithm for as many edges as capacities allow."""
    return find("capacity", "capacity-phases" if algorithm == "auto" else algorithm)


def choose_general(algorithm: str, init: str) -> tuple[Algorithm, Algorithm | None]:
    """Return the exact algorithm for a graph that need not be bipartite, and its start if any."""
    exact = find("general", GENERAL if algorithm == "auto" else algorithm)
    if init == "none":
        return exact, None
    return exact, find("general-start", GENERAL_START if init == "auto" else init)


def choose_weighted(algorithm: str) -> Algorithm:
    """Return the algorithm for the heaviest matching of a graph that need not be bipartite."""
    return find("general-weighted", GENERAL_WEIGHTED if algorithm == "auto" else algorithm)


def choose_start_in_parts(init: str, local: bool = True) -> str:
    """Return the start of a graph in parts, of which there are others than on one machine.

    `local` says that most edges are within parts, or that one part may finish alone.
    """
    if init not in ("auto", *STARTS_IN_PARTS):
        names = ", ".join(STARTS_IN_PARTS)
        raise OptionError(f"init on a cluster is one of {names}, not {init!r}")
    within, by_degree = STARTS_IN_PARTS[:2]
    return init if init != "auto" else within if local else by_degree
