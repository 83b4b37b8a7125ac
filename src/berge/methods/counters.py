"""Counters that kernels keep: one row a thread, added up by the driver.

A row is a cache line or more long, so threads do not disturb each other. Bucket b of the histogram
counts augmenting paths of 2ᵇ to 2ᵇ⁺¹ − 1 edges.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

from ..compile import helper
from ..results.matching import SolveStats
from ..results.run import Run

EDGES, PATHS, PATH_EDGES, LONGEST, HISTOGRAM = 0, 1, 2, 3, 4
ENDS = HISTOGRAM + 44  # free columns that breadth-first search came to
TALLY = ENDS + 1


def new_tally(threads: int) -> Any:
    """Return counters at zero for so many threads."""
    return np.zeros((threads, TALLY), np.int64)


@helper
def count_path(tally: Any, thread: int, edges: int) -> None:
    """Count an augmenting path of so many edges."""
    tally[thread, PATHS] += 1
    tally[thread, PATH_EDGES] += edges
    if edges > tally[thread, LONGEST]:
        tally[thread, LONGEST] = edges
    bucket = 0
    while edges > 1:
        edges >>= 1
        bucket += 1
    tally[thread, HISTOGRAM + bucket] += 1


@helper
def counted(tally: Any, counter: int) -> int:
    """Return what a counter has come to, over all threads."""
    total = 0
    for t in range(tally.shape[0]):
        total += tally[t, counter]
    return total


@helper
def edges_traversed(tally: Any) -> int:
    """Return the number of edges counted so far, by all threads."""
    return counted(tally, EDGES)


def paths_found(tally: Any) -> int:
    """Return the number of augmenting paths counted so far."""
    return int(tally[:, PATHS].sum())


def report(run: Run, tally: Any) -> None:
    """Add the counters to the run's stats."""
    total = tally.sum(axis=0)
    total[LONGEST] = tally[:, LONGEST].max()
    add_up(run.stats, total.tolist())


def add_up(stats: SolveStats, total: list[int]) -> None:
    """Add the counters of all threads together to stats."""
    stats.traversed_edges += total[EDGES]
    stats.augmenting_paths += total[PATHS]
    stats.path_edges += total[PATH_EDGES]
    longest = total[LONGEST]
    stats.longest_path = max(stats.longest_path, longest)
    lengths = total[HISTOGRAM : HISTOGRAM + longest.bit_length()]
    if stats.path_lengths:
        both = zip_longest(lengths, stats.path_lengths, fillvalue=0)
        lengths = [a + b for a, b in both]
    stats.path_lengths = lengths
