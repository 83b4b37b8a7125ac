"""Single-source depth-first search: one unmatched row after the other, each searched from once.

A search goes depth-first over columns it has not visited yet and augments along the first path it
finds. If it finds none, nothing that its tree reaches will ever lie on an augmenting path: the tree
stays hidden from all later searches. A search that succeeds leaves nothing behind.

With lookahead (look for a free column among the neighbours of a row before going deeper) this is
Duff's MC21.

Work O(nnz) a search, O(n · nnz) in all; the searches that fail read every edge once, all together.
Memory: three indices a row and one a column. A phase, in the stats, is one search.

- ``level[y]``: how many roots were left when a search last visited y; before that the number of all
  roots. 0, which is no more than any search has left: hidden.
- ``ahead``, ``tried``, ``above``: as in `depth_first`, which is also where to read on the search.

References: SS-MATCH of A. Azad, A. Buluç, A. Pothen, IPDPS 2015; I. S. Duff, "On algorithms for
obtaining a maximum transversal" and "Algorithm 575: permutations for a zero-free diagonal" (MC21),
ACM TOMS 7, 1981.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import kernel
from ...results.run import Run
from ..counters import EDGES, PATHS, count_path
from .depth_first import ANY, prepare, search
from .roots import augment, search_one_by_one


def ss_dfs(run: Run, *, lookahead: bool = False) -> None:
    """Make the matching maximum."""
    a = prepare(run, 1, run.graph.indices.dtype, lookahead=lookahead)
    roots = run.unmatched_rows()
    a.level.fill(roots.size)
    search_one_by_one(run, a, roots, search_and_hide, lookahead)


@kernel
def search_and_hide(
    a: Any, roots: Any, searches: int, wanted: int, lookahead: bool, budget: int
) -> int:
    """Search from the roots from number `searches` on; return the number of the next one.

    Comes back after some `budget` edges, or as soon as `wanted` more paths are found.
    """
    row_match, level, above, tally = a.row_match, a.level, a.above, a.tally
    stop, goal = tally[0, EDGES] + budget, tally[0, PATHS] + wanted
    while searches < roots.size and tally[0, EDGES] < stop and tally[0, PATHS] < goal:
        root = roots[searches]
        searches += 1
        left = np.int64(roots.size - searches)
        read, x, free, given_up = search(a, root, left, ANY, lookahead, False, False)
        tally[0, EDGES] += read
        if free >= 0:
            count_path(tally, 0, augment(row_match, a.col_match, above, x, free))
        else:
            # Hide the tree: every row of it was given up, last of all the root, which has no mate.
            x = np.int64(above[given_up])
            while x >= 0:
                level[row_match[x]] = 0
                x = np.int64(above[x])
    return searches
