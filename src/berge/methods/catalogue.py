"""The rows of the registry: every algorithm with its name, its module, its paper and its options.

A row names the module that an algorithm is in; its function there is called like the algorithm.
Where a row says nothing else, an algorithm with threads is not deterministic and one without is,
and its bound is O(n·m) for exact ones and O(n + m) for others.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from .algorithm import Algorithm, Kind, Option

__all__ = ["ALGORITHMS", "ON_CLUSTER", "REASONS"]

# What says in words why not all can be matched.
REASONS = "analysis.labels:explain_unmatched"

# What solves on a cluster of Dask's.
ON_CLUSTER = {
    "exact": "distributed.dask:solve_on_cluster",
    "greedy": "distributed.dask:greedy_on_cluster",
}


def _row(kind: Kind, name: str, module: str, summary: str, paper: str, **more: Any) -> Algorithm:
    """Return an algorithm, with defaults for what is not said."""
    threads = more.setdefault("threads", False)
    more.setdefault("deterministic", not threads)
    more.setdefault("bound", "O(n·m)" if kind == "exact" else "O(n + m)")
    function = more.pop("function", name.replace("-", "_"))
    return Algorithm(name, kind, f"{module}:{function}", summary, paper=paper, **more)


_START, _EXACT, _GREEDY, _ASSIGN, _CAPACITY = (
    partial(_row, kind) for kind in ("start", "exact", "greedy", "assign", "capacity")
)
_GENERAL_START, _GENERAL, _GENERAL_WEIGHTED = (
    partial(_row, kind) for kind in ("general-start", "general", "general-weighted")
)
_STARTS, _AUGMENTING = "methods.starts", "methods.augmenting"
_PUSHING, _GREEDILY = "methods.push_relabel", "methods.greedy"
_ASSIGNMENT, _ANY_GRAPH = "methods.assignment", "methods.general"
_ANYWHERE = ("cpu", "cuda")

_DUFF_2011 = "Duff, Kaya, Uçar 2011"
_DUFOSSE_2015 = "Dufossé, Kaya, Uçar 2015"
_AZAD_2012 = "Azad, Halappanavar, Rajamanickam, Boman, Khan, Pothen 2012"
_AZAD_2015 = "Azad, Buluç, Pothen 2015"
_DEVECI_2013 = "Deveci, Kaya, Uçar, Çatalyürek 2013"
_FAGGINGER_AUER_2012 = "Fagginger Auer, Bisseling 2012"

_SCALING = Option("scaling_iterations", 5, "how often rows and columns are scaled to sums of one")
_ROWS_ONLY = Option("rows_only", False, "only rows follow the rule of degree one")
_LOOKAHEAD = Option("lookahead", True, "look for a free column before going deeper")
_FAIRNESS = Option("fairness", True, "read adjacency lists from their end in every other phase")
_ALPHA = Option("alpha", 5.0, "go top-down while the frontier is under 1/α of the unvisited", 1.0)
_AS_PRINTED = Option(
    "as_printed", False, "bottom-up, rows found are searched from in the same pass (Algorithm 6)"
)
_PERMUTE = Option("permute", True, "take vertices in random order")
_P = Option("p", 0.53406, "probability of a vertex to be blue in a round", 0.01, 0.99)
_SHORTEST = Option("shortest", False, "stop at the first level with a path, as APsB does")
_KERNEL = Option(
    "kernel", "gpubfs-wr", "with roots (wr) a tree stops at its first path",
    choices=("gpubfs", "gpubfs-wr"),
)  # fmt: skip
_LAUNCH = Option(
    "launch", "ct",
    "a constant number of threads that stride (ct; the paper's 256x256), or one a row (mt)",
    choices=("ct", "mt", "256x256"),
)  # fmt: skip
_PAPERS = replace(_LAUNCH, choices=("ct", "mt"))  # which long names are made of
_STATISTICS = Option(
    "statistics", "auto", "count edges and pushes; auto: on the CPU", choices=("auto", "on", "off")
)
_FORM = Option(
    "form", "shr",
    "a launch goes over all rows (first), a list of active ones (noshr), a list made dense (shr)",
    choices=("first", "noshr", "shr"),
)  # fmt: skip


def _long_names(
    name: str, settled: dict[str, bool], *options: Option
) -> dict[str, dict[str, bool | str]]:
    """Return the long names of a family, which list its choices: apfb-gpubfs-wr-ct."""
    return {
        "-".join((name, *chosen)): settled
        | {option.name: choice for option, choice in zip(options, chosen, strict=True)}
        for chosen in product(*(option.choices for option in options))
    }


ALGORITHMS = (
    _START("none", f"{_STARTS}.none",
           "begin with the empty matching, or the one passed as initial", "",
           bound="O(1)", devices=_ANYWHERE, borrows=True),
    _START("cheap", f"{_STARTS}.cheap", "every row takes its first free column", _DUFF_2011,
           threads=True, devices=_ANYWHERE, borrows=True),
    _START("karp-sipser", f"{_STARTS}.karp_sipser",
           "vertices of degree one first, random ones only when none is left",
           "Karp, Sipser 1981", options=(_ROWS_ONLY,)),
    _START("cheap-random", f"{_STARTS}.cheap",
           "every row, in random order, takes its first free column", _DUFF_2011),
    _START("min-degree", f"{_STARTS}.min_degree",
           "the vertex with fewest free neighbours takes the neighbour with fewest",
           "Langguth, Manne, Sanders 2010"),
    _START("p-karp-sipser", f"{_STARTS}.karp_sipser",
           "Karp–Sipser on all threads, each by the degrees that it sees", _AZAD_2012,
           threads=True, options=(_ROWS_ONLY,)),
    _START("one-sided", f"{_STARTS}.scaling",
           "rows pick columns at random by the scaled matrix, then cheap", _DUFOSSE_2015,
           threads=True, deterministic=True, options=(_SCALING,)),
    _START("two-sided", f"{_STARTS}.scaling",
           "rows and columns pick each other at random by the scaled matrix, then cheap",
           _DUFOSSE_2015, threads=True, options=(_SCALING,)),
    _EXACT("ss-dfs", f"{_AUGMENTING}.ss_dfs",
           "depth-first search from one unmatched row after the other",
           f"Duff 1981 (MC21); {_AZAD_2015}",
           options=(Option("lookahead", False,
                           "look for a free column before going deeper, as MC21 does"),)),
    _EXACT("ss-bfs", f"{_AUGMENTING}.ss_bfs",
           "breadth-first search from one unmatched row after the other", _AZAD_2015),
    _EXACT("pothen-fan", f"{_AUGMENTING}.pothen_fan",
           "depth-first search from all unmatched rows, with lookahead and fairness",
           f"Pothen, Fan 1990; {_DUFF_2011}", options=(_LOOKAHEAD, _FAIRNESS)),
    _EXACT("hopcroft-karp", f"{_AUGMENTING}.hopcroft_karp",
           "a maximal set of shortest augmenting paths in every phase", "Hopcroft, Karp 1973",
           bound="O(√n·m)"),
    _EXACT("hkdw", f"{_AUGMENTING}.hkdw",
           "Hopcroft–Karp with a depth-first search over all edges after each phase",
           f"Duff, Wiberg 1988; {_DUFF_2011}"),
    _EXACT("p-pothen-fan", f"{_AUGMENTING}.pothen_fan",
           "Pothen–Fan whose threads search disjoint parts of the graph", _AZAD_2012,
           threads=True, options=(_LOOKAHEAD, _FAIRNESS)),
    _EXACT("p-dbfs", f"{_AUGMENTING}.p_dbfs",
           "disjoint breadth-first searches, each from one unmatched row", _AZAD_2012,
           threads=True),
    _EXACT("p-hopcroft-karp", f"{_AUGMENTING}.hopcroft_karp",
           "Hopcroft–Karp whose threads share levels, and claim the columns of their paths",
           _AZAD_2012, bound="O(√n·m)", threads=True),
    _EXACT("p-push-relabel", f"{_PUSHING}.p_push_relabel",
           "push–relabel by threads with queues of their own",
           "Langguth, Azad, Halappanavar, Manne 2014", threads=True,
           options=(Option("relabel_frequency", 0.0,
                           "global relabels in as many pushes as there are vertices; "
                           "0: 2 a thread, up to 16"),
                    Option("queue_limit", 500, "active rows that a thread takes at a time", 1))),
    _EXACT("ms-bfs", f"{_AUGMENTING}.ms_bfs_graft",
           "breadth-first search from all unmatched rows at once", _AZAD_2015, threads=True),
    _EXACT("ms-bfs-do", f"{_AUGMENTING}.ms_bfs_graft",
           "MS-BFS that goes bottom-up where the frontier is large", _AZAD_2015,
           threads=True, options=(_ALPHA, _AS_PRINTED)),
    _EXACT("ms-bfs-graft", f"{_AUGMENTING}.ms_bfs_graft",
           "breadth-first search from all unmatched rows that keeps its trees by grafting",
           _AZAD_2015, threads=True,
           options=(_ALPHA,
                    Option("direction_optimising", True,
                           "go bottom-up where the frontier is large"),
                    Option("grafting", True, "keep active trees from phase to phase"),
                    _AS_PRINTED)),
    _EXACT("push-relabel", f"{_PUSHING}.push_relabel",
           "unmatched rows take columns from others, led by labels; no augmenting paths",
           f"{_DEVECI_2013}; Cherkassky et al. 1998",
           options=(Option("relabel_every", 0.5, "pushes between global relabels, per vertex",
                           0.001),
                    Option("gap_relabelling", True,
                           "give up columns above a label that has died out"))),
    _EXACT("mixed", "methods.combined.mixed",
           "SS-BFS, short searches first, on a budget; then Pothen–Fan or push-relabel",
           f"{_AZAD_2015}; {_DEVECI_2013}", threads=True, borrows=True,
           options=(Option("effort", 3.0,
                           "edges that SS-BFS may look at, times those there are"),)),
    _EXACT("out-of-core", "solve.out_of_core",
           "rows read from disk as searches come to them; what they lacked is kept in memory",
           "after Abello, Buchsbaum, Westbrook 2002", bound="O(n·m)", threads=True,
           options=(Option("window", 0, "edges read at a time; 0: 32 MiB of them"),
                    Option("kept", 0,
                           "edges kept in memory, in all; 0: by what is free"))),
    _EXACT("apfb", f"{_AUGMENTING}.apfb",
           "paths of all lengths, or shortest ones (APsB), turned over at once and repaired",
           f"{_DEVECI_2013} (Euro-Par)",
           bound="O(n³ + n·m)", threads=True, devices=_ANYWHERE,
           options=(_SHORTEST, _KERNEL, _LAUNCH, _STATISTICS),
           aliases=_long_names("apfb", {"shortest": False}, _KERNEL, _PAPERS)
           | _long_names("apsb", {"shortest": True}, _KERNEL, _PAPERS)),
    _EXACT("apfb-queue", f"{_AUGMENTING}.apfb_queue",
           "APFB whose levels are queues and whose trees are disjoint",
           f"after {_DEVECI_2013} (Euro-Par)", threads=True, devices=_ANYWHERE,
           options=(Option("split", False, "share the edges of long rows out"), _STATISTICS),
           aliases={"apfb-queue": {"split": False}, "apfb-split": {"split": True}}),
    _EXACT("g-pr", f"{_PUSHING}.g_pr", "push–relabel without atomics", f"{_DEVECI_2013} (ICPP)",
           bound="O(n²·m)", threads=True, devices=_ANYWHERE,
           options=(_FORM,
                    Option("strategy", "adaptive", "what k counts", choices=("adaptive", "fix")),
                    Option("k", 0.7, "iterations between global relabels: k × the depth of the "
                                     "last one in edges (adaptive), or k (fix)"),
                    Option("concurrent", False, "run global relabels beside the pushes"),
                    _STATISTICS),
           aliases=_long_names("g-pr", {}, _FORM)),
    _GREEDY("single-pass", f"{_GREEDILY}.single_pass",
            "every vertex claims its first free neighbour by compare-and-swap",
            "after Blelloch, Fineman, Shun 2012", threads=True, devices=_ANYWHERE),
    _GREEDY("random", f"{_GREEDILY}.one_by_one",
            "every vertex, in random order, takes its first free neighbour (Algorithm 1)",
            _FAGGINGER_AUER_2012, options=(_PERMUTE,)),
    _GREEDY("weighted", f"{_GREEDILY}.one_by_one",
            "every vertex, in random order, takes its heaviest free neighbour (Algorithm 1)",
            _FAGGINGER_AUER_2012, options=(_PERMUTE,)),
    _GREEDY("sorted", f"{_GREEDILY}.sorted_edges",
            "edges by decreasing weight, each whose ends are free; ½-approximate (Algorithm 2)",
            _FAGGINGER_AUER_2012, function="sorted_edges", threads=True, deterministic=True),
    _GREEDY("proposals", f"{_GREEDILY}.proposals",
            "blue vertices propose to red ones, which respond, in rounds (Algorithm 3)",
            _FAGGINGER_AUER_2012, bound="O(m·log n)", threads=True, deterministic=True,
            devices=_ANYWHERE, options=(_PERMUTE, _P)),
    _GREEDY("weighted-proposals", f"{_GREEDILY}.proposals",
            "proposals to the heaviest neighbour, and the heaviest proposal is taken",
            _FAGGINGER_AUER_2012, bound="O(m·log n)", threads=True, deterministic=True,
            devices=_ANYWHERE, options=(_PERMUTE, _P)),
    _GREEDY("suitor", f"{_GREEDILY}.suitor",
            "vertices propose and are dislodged by heavier proposals; the matching of sorted",
            "Manne, Halappanavar 2014", bound="O(Δ·m)", threads=True, deterministic=True,
            devices=_ANYWHERE),
    _GREEDY("locally-dominant", f"{_GREEDILY}.locally_dominant",
            "edges that are the heaviest at both ends, until none is left; as sorted",
            "Preis 1999; Manne, Bisseling 2007", bound="O(Δ·m)", threads=True, deterministic=True,
            devices=_ANYWHERE),
    _GREEDY("global-paths", f"{_GREEDILY}.global_paths",
            "grow paths and even cycles by decreasing weight, then match each best",
            "Maue, Sanders 2007", threads=True, deterministic=True),
    _ASSIGN("shortest-paths", f"{_ASSIGNMENT}.shortest_paths",
            "the cheapest augmenting path from one unused vertex after the other, by prices",
            "Jonker, Volgenant 1987; Duff, Koster 2001", bound="O(n·m·log n)"),
    _ASSIGN("cost-scaling", f"{_ASSIGNMENT}.cost_scaling",
            "rows bid for columns by ever smaller steps of prices, then shortest-paths",
            "Bertsekas 1988; Goldberg, Kennedy 1995", bound="O(n·m·log n)"),
    _ASSIGN("paths-or-scaling", f"{_ASSIGNMENT}.paths_or_scaling",
            "shortest-paths on a budget of edges, then cost-scaling", "", bound="O(n·m·log n)",
            options=(Option("effort", 10.0, "edges that paths may look at, times all"),)),
    _ASSIGN("capacity-paths", f"{_ASSIGNMENT}.capacity_paths",
            "the cheapest augmenting path for one unit of a vertex after the other, by prices",
            "Busacker, Gowen 1960; Edmonds, Karp 1972", bound="O(units·m·log n)",
            several=True),
    _ASSIGN("capacity-auction", f"{_ASSIGNMENT}.capacity_auction",
            "capacity-paths; where hardly a unit is to spare, on a budget, then prices by bids",
            "Bertsekas, Castañón 1989", bound="O(units·m·log n)", several=True,
            options=(Option("effort", 4.0, "edges that paths look at, times those there are"),)),
    _CAPACITY("capacity-phases", "methods.capacities.capacity_phases",
              "a maximal set of shortest augmenting paths in every phase, with units of vertices",
              "Hopcroft, Karp 1973; Even, Tarjan 1975", bound="O(√m·m)"),
    _GENERAL_START("degree-one", f"{_ANY_GRAPH}.degree_one",
                   "vertices of degree one first, then by least degree, to the least neighbour",
                   "Karp, Sipser 1981"),
    _GENERAL_START("first-free", f"{_ANY_GRAPH}.first_free",
                   "every vertex takes its first free neighbour", ""),
    _GENERAL("graft", f"{_ANY_GRAPH}.graft",
             "trees from all unmatched vertices, with blossoms; what a path leaves is grafted on",
             "Edmonds 1965; Gabow 1976; Azad, Buluç, Pothen 2015", bound="O(n·m·log n)"),
    _GENERAL("blossom", f"{_ANY_GRAPH}.blossom",
             "breadth-first search with blossoms from one unmatched vertex after the other",
             "Edmonds 1965; Gabow 1976", bound="O(n·m·log n)"),
    _GENERAL_WEIGHTED("weighted-blossom", f"{_ANY_GRAPH}.weighted_blossom",
                      "the best fractional matching, then trees with prices, one after the other",
                      "Edmonds 1965; Ball, Derigs 1983; Galil, Micali, Gabow 1986; Cook, Rohe 1999",
                      bound="O(n³·log n)"),
)  # fmt: skip
