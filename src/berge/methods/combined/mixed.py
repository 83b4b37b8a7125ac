"""SS-BFS with limits, then Pothen–Fan or push-relabel from where it stopped.

Most graphs are easy: after the cheap start, short searches look at each edge once or twice in all,
and need no transpose, which alone takes as long as that. Where they have not come to their end
after ``effort`` times the edges, the graph is of the other kind, and push-relabel goes on from the
matching so far: switching loses nothing.

Once the searches have looked at as many edges as there are, it shows whether they get anywhere. If
less than a ``SLOW`` part of the rows is dealt with, most rows lie in regions that have too few
columns. Then push-relabel takes over at once, from the side with fewer unmatched vertices.

Some rows may not have been searched from when the effort is spent. The first round then goes on as
long as it goes well: as long as a ``WELL`` part of the searches came to their ends in the last
``PART_OF_PASS`` of a pass over the edges.

A mesh is known by two signs: in the end no more than a ``REST`` part of the rows is left, and some
path had ``LONG_PATH`` edges, though each was a shortest one. On meshes, and after a first round
that went well for so long, Pothen–Fan does better. It shares its work among threads, and needs no
transpose. It goes on while phases find paths from a ``LEAST_FOUND`` part of the rows that are left.
What it leaves is for push-relabel.

Several threads share the searches of large graphs. One begins alone, since on most easy ones it
does not pay to wake others (``WAKING``), and to make ready for them: an edge a column. Push-relabel
on threads pays later, from ``SHARED_PUSHES`` edges on.

Work O(n · nnz), that of push-relabel. Memory: that of these, one after the other.

References: see `budgeted`, `pothen_fan` and `push_relabel`.
"""

from __future__ import annotations

import math

from ...results.run import Run
from ...tuning import (
    EFFORT,
    FEW_ROOTS,
    LEAST_FOUND,
    LONG_PATH,
    PART_OF_PASS,
    READ_IN_NO_TIME,
    REST,
    SHARED_PUSHES,
    SHARED_SEARCHES,
    SLOW,
    WAKING,
    WELL,
)
from ..counters import LONGEST, report
from .budgeted import (
    ROUNDS,
    SEARCHES,
    Arrays,
    prepare,
    roots_left,
    search_before_others,
    search_with_limits,
    shared,
)


def mixed(run: Run, *, effort: float = EFFORT) -> None:
    """Make the matching maximum."""
    go_on(run, prepare(run, run.threads if run.graph.nnz >= SHARED_SEARCHES else 1), effort)


def go_on(run: Run, search: Arrays, effort: float = EFFORT) -> None:
    """Make the matching maximum, from a search that one thread is at, or has not begun."""
    many = run.threads > 1 and run.graph.nnz >= SHARED_SEARCHES
    edges = max(run.graph.nnz, READ_IN_NO_TIME)
    roots = search.roots.size
    try:
        if many:
            if search_before_others(run, search, run.graph.n_cols + WAKING, effort * edges):
                return
            with run.timed("search"):
                search = shared(search)
            threads = search.own.shape[0]
            # Some more than a thread alone, which takes them longer.
            edges = edges * (3 + threads) // 4
        if search_with_limits(run, search, min(effort, 1.0) * edges):
            return
        slow = roots_left(search) > (1 - SLOW) * roots
        passes = effort - PART_OF_PASS
        while not slow:
            left, searches = roots_left(search), search.own[:, SEARCHES].sum()
            if search_with_limits(run, search, passes * edges):
                return
            searches = search.own[:, SEARCHES].sum() - searches
            well = left - roots_left(search) > WELL * searches and search.state[ROUNDS] == 0
            if passes >= effort and not well:
                break
            passes += PART_OF_PASS
        left, longest = roots_left(search), search.tally[:, LONGEST].max()
        if left <= FEW_ROOTS:  # it does not pay to begin anew
            search_with_limits(run, search, math.inf)
            return
    finally:
        report(run, search.tally)
    del search  # memory
    # Imported here, since most graphs need none of them, and a first answer comes sooner so.
    from ..augmenting.pothen_fan import match_in_phases
    from ..push_relabel.p_push_relabel import p_push_relabel
    from ..push_relabel.push_relabel import push_relabel

    run.own_graph()
    wide = longest >= LONG_PATH and left <= REST * roots
    if (wide or passes > effort) and match_in_phases(run, run.threads, LEAST_FOUND):
        return
    if slow and run.transpose().nonempty_rows < run.graph.nonempty_rows:
        run.swap_sides()
    if many and run.graph.nnz >= SHARED_PUSHES:
        p_push_relabel(run)
    else:
        push_relabel(run)
