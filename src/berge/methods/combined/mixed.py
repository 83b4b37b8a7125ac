"""SS-BFS on rations, then Pothen–Fan or push-relabel from where it stopped.

Most graphs are easy: after the cheap start, short searches look at each edge once or twice in all,
and need no transpose, which alone takes as long as that. Where they have not come to their end
after ``effort`` times the edges, the graph is of the other kind, and push-relabel goes on from the
matching so far: switching loses nothing.

Once the searches have looked at as many edges as there are, it shows whether they get anywhere. If
less than a ``SLOW`` part of the rows is dealt with, most rows lie in regions that have too few
columns. Then push-relabel takes over at once, from the side with fewer unmatched vertices.

Some rows may not have been searched from when the effort is spent. As long as a ``WELL`` part of
the searches in the last ``PART`` of a pass came to their ends, the first round goes on.

Where no more than a ``REST`` part of the rows is left in the end and some path had ``FAR`` edges,
though each was a shortest one, the graph is wide: a mesh. There, and after a first round that went
well for so long, Pothen–Fan does better, shares its work among threads, and needs no transpose. It
goes on while phases find paths from a ``LEAST`` part of the rows that are left; what it leaves is
for push-relabel.

Several threads share the searches of large graphs. One begins alone, since on most easy ones it
does not pay to wake others (``WAKING``), and to make ready for them: an edge a column. Push-relabel
on threads pays later, from ``SHARED_PUSHES`` edges on.

Work O(n · nnz), that of push-relabel. Memory: that of these, one after the other.

References: see `rationed`, `p_pothen_fan` and `push_relabel`.
"""

from __future__ import annotations

import math

from ...results.run import Run
from ..augmenting.p_pothen_fan import search_in_phases
from ..counters import LONGEST, report
from ..push_relabel.p_push_relabel import p_push_relabel
from ..push_relabel.push_relabel import push_relabel
from .budgeted import (
    FEW,
    ROUNDS,
    SEARCHES,
    Arrays,
    prepare,
    roots_left,
    search_before_others,
    search_on_rations,
    shared,
)

SHARED = 300_000  # edges from which threads share the searches
SHARED_PUSHES = 1_000_000  # and push-relabel; see docs/performance.md
WAKING = 150_000  # edges that are read in the time that it takes to wake threads
SLOW = 0.3
PART, WELL = 1 / 4, 0.95
FAR, REST, LEAST = 32, 1 / 64, 1 / 10
SMALL = 1 << 14  # so many edges are read in no time


def mixed(run: Run, *, effort: float = 3.0) -> None:
    """Make the matching maximum."""
    go_on(run, prepare(run, run.threads if run.graph.nnz >= SHARED else 1), effort)


def go_on(run: Run, search: Arrays, effort: float = 3.0) -> None:
    """Make the matching maximum, from a search that one thread is at, or has not begun."""
    many, edges = run.threads > 1 and run.graph.nnz >= SHARED, max(run.graph.nnz, SMALL)
    roots, threads = search.roots.size, 1
    try:
        if many:
            if search_before_others(run, search, run.graph.n_cols + WAKING, effort * edges):
                return
            with run.timed("search"):
                search = shared(search)
            threads = search.own.shape[0]
            # Some more than a thread alone, which takes them longer.
            edges = edges * (3 + threads) // 4
        if search_on_rations(run, search, min(effort, 1.0) * edges):
            return
        slow = roots_left(search) > (1 - SLOW) * roots
        passes = effort - PART
        while not slow:
            left, searches = roots_left(search), search.own[:, SEARCHES].sum()
            if search_on_rations(run, search, passes * edges):
                return
            searches = search.own[:, SEARCHES].sum() - searches
            well = left - roots_left(search) > WELL * searches and search.state[ROUNDS] == 0
            if passes >= effort and not well:
                break
            passes += PART
        left, longest = roots_left(search), search.tally[:, LONGEST].max()
        if left <= FEW:  # it does not pay to begin anew
            search_on_rations(run, search, math.inf)
            return
    finally:
        report(run, search.tally)
    del search  # memory
    wide = longest >= FAR and left <= REST * roots
    if (wide or passes > effort) and search_in_phases(run, LEAST):
        return
    if slow and run.transpose().nonempty_rows < run.graph.nonempty_rows:
        run.swap_sides()
    if many and run.graph.nnz >= SHARED_PUSHES:
        p_push_relabel(run)
    else:
        push_relabel(run)
