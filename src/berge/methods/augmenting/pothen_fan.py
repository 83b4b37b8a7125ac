"""Pothen–Fan: depth-first search from all unmatched rows, with lookahead and fairness.

A phase searches depth-first from every unmatched row in turn, over columns that no search of this
phase has visited, and augments along each path as soon as it is found. A phase that finds none
ends the algorithm: its searches together visited all that alternating paths can reach.

Lookahead: on arrival at a row, look for a free column among its neighbours before going deeper.
Fairness: every other phase reads adjacency lists from their end, but for lookahead, which always
reads forwards and goes on where it stopped.

P-PFP is the same on several threads, which take roots a few at a time and claim every column they
visit, free ones too. On one thread the two do the same, step by step.

Work O(nnz) a phase, O(n · nnz) in all; over all phases lookahead reads every edge once. Memory:
three indices a row and one byte a column, however many threads there are.

- ``level[y]``: 0 if a search of this phase has visited y, else 1.
- ``ahead``, ``tried``, ``above``: as in `depth_first`, which is also where to read on the search.
- ``roots``: the unmatched rows. Why threads do no harm to each other, and why a phase without a
  path is conclusive, is said in `roots`.

References: A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM TOMS
16, 1990; fairness: I. S. Duff, K. Kaya, B. Uçar, ACM TOMS 38(2), 2011; P-PFP: A. Azad,
M. Halappanavar, S. Rajamanickam, E. G. Boman, A. Khan, A. Pothen, "Multithreaded algorithms for
maximum matching in bipartite graphs", IPDPS 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...results.run import Run
from .depth_first import ANY, prepare, search_and_augment
from .roots import repeat_phases, search_from


def pothen_fan(run: Run, *, lookahead: bool = True, fairness: bool = True) -> None:
    """Make the matching maximum, on one thread."""
    match_in_phases(run, 1, lookahead=lookahead, fairness=fairness)


def p_pothen_fan(run: Run, *, lookahead: bool = True, fairness: bool = True) -> None:
    """Make the matching maximum."""
    match_in_phases(run, run.threads, lookahead=lookahead, fairness=fairness)


def match_in_phases(
    run: Run, threads: int, least: float = 0.0, *, lookahead: bool = True, fairness: bool = True
) -> bool:
    """Search until the matching is maximum, which True says.

    Or until a phase has found paths from less than a `least` part of its roots.
    """
    a = prepare(run, threads, np.uint8, lookahead=lookahead)

    def search(roots: Any, work: int) -> None:
        a.level.fill(1)
        backwards = fairness and run.stats.phases % 2 == 1
        how = ANY, lookahead, backwards
        search_from(run, threads, a, roots, work, search_and_augment, *how)

    return repeat_phases(run, a.tally, search, least)
