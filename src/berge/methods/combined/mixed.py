"""SS-BFS with limits, then Pothen–Fan or push-relabel from where it stopped.

Most graphs are easy: after the cheap start, short searches look at each edge once or twice in all,
and need no transpose, which alone takes as long as that. Other graphs are of other kinds. No look
at the graph tells which, but the searches do, while they are at it: after parts of a pass over the
edges they are judged (``LOOKS``, `outlook`).

- Before they begin, Pothen–Fan is on trial (`trial`).
- At the first look, hardly any row is dealt with, and few of these have found a path. Most rows
  then lie in regions that have too few columns. The searches begin anew from the columns, if of
  these far fewer are unmatched.
- Later, most rows that are dealt with have found a path, on which several rows had to make way, and
  yet many rows are left. Neither are free columns plenty, nor degrees small. Then push-relabel goes
  on at once, from the side with fewer vertices: it takes rows back where searches only go farther.
  If nearly all searches find a path, but each has to read much, Pothen–Fan goes on. So it does if
  the start has left very few rows, and most of them are still there: free columns are far away.
- After a pass, less than a ``SLOW`` part of the rows is dealt with. Push-relabel goes on, as above.

Where no look says so, the searches end after ``effort`` times the edges. Switching loses nothing:
whatever goes on begins from the matching so far.

Some rows may not have been searched from when the effort is spent. The first round then goes on as
long as it goes well. That is: a ``WELL`` part of the searches came to their ends in the last
``PART_OF_PASS`` of a pass over the edges.

A mesh is known by two signs: in the end no more than a ``REST`` part of the rows is left, and some
path had ``LONG_PATH`` edges, though each was a shortest one. On meshes, and after a first round
that went well for so long, Pothen–Fan does better. It shares its work among threads, and needs no
transpose. It goes on while phases find paths from a ``LEAST_FOUND`` part of the rows that are left.
What it leaves is for push-relabel.

Several threads share the searches of large graphs. One begins alone, since on most easy ones it
does not pay to wake others (``WAKING``), and to make ready for them: an edge a column. Push-relabel
on threads pays later, from ``SHARED_PUSHES`` edges and ``SHARED_ROWS`` unmatched rows on. With
fewer rows it has many rounds, each over before the others are awake.

Work O(n · nnz), that of push-relabel. Memory: that of these, one after the other.

References: see `budgeted`, `pothen_fan` and `push_relabel`.
"""

from __future__ import annotations

import math
from typing import Any

from ...compile import kernel
from ...results.run import Run
from ...tuning import (
    ASKEW_FOUND,
    ASKEW_FREE,
    ASKEW_LEFT,
    EFFORT,
    FAR_APART,
    FAR_FOUND,
    FAR_LEFT,
    FEW_ROOTS,
    HARD_LEFT,
    LEAST_FOUND,
    LEAST_ON_MESH,
    LONG_PATH,
    LOOKS,
    MOST_SUPPLY,
    PART_OF_PASS,
    READ_IN_NO_TIME,
    REST,
    SHARED_PUSHES,
    SHARED_ROWS,
    SHARED_SEARCHES,
    SHORT_PATH,
    SLOW,
    THICK,
    WAKING,
    WELL,
    WORTH_LOOKING,
)
from ..augmenting.pothen_fan import match_in_phases
from ..counters import LONGEST, report
from ..push_relabel.p_push_relabel import p_push_relabel
from ..push_relabel.push_relabel import push_relabel
from .budgeted import (
    DEALT_WITH,
    FOUND,
    READ,
    ROOTS,
    ROUNDS,
    SEARCHES,
    Arrays,
    prepare,
    roots_left,
    search_before_others,
    search_with_limits,
    shared,
)
from .trial import try_depth_first

# What goes on: nothing, the searches, these from the other side; Pothen–Fan on all threads, on one,
# and on all threads from the start on a mesh; push-relabel from the better side, and from this one.
DONE, SEARCH, TURN, DEEP, ALONE, MESH, PUSH, LAST = range(8)


def mixed(run: Run, *, effort: float = EFFORT) -> None:
    """Make the matching maximum."""
    go_on(run, prepare(run, run.threads if run.graph.nnz >= SHARED_SEARCHES else 1), effort)


def go_on(run: Run, search: Arrays, effort: float = EFFORT) -> None:
    """Make the matching maximum, from a search that one thread is at, or has not begun."""
    route = judge(run, search, effort)
    del search  # memory
    if route == DONE:
        return
    if route == TURN:
        run.swap_sides()
        mixed(run, effort=effort)
        return
    if route in (DEEP, ALONE, MESH):
        least = LEAST_ON_MESH if route == MESH else LEAST_FOUND
        if match_in_phases(run, 1 if route == ALONE else run.threads, least):
            return
    run.own_graph()
    if route == PUSH and run.transpose().nonempty_rows < run.graph.nonempty_rows:
        run.swap_sides()
    many = run.threads > 1 and run.graph.nnz >= max(SHARED_SEARCHES, SHARED_PUSHES)
    if many and run.upper_bound - run.cardinality >= SHARED_ROWS:
        p_push_relabel(run)
    else:
        push_relabel(run)


def judge(run: Run, search: Arrays, effort: float) -> int:
    """Search, and say what goes on from there."""
    many = waiting = run.threads > 1 and run.graph.nnz >= SHARED_SEARCHES
    edges = max(run.graph.nnz, READ_IN_NO_TIME)
    roots, begun = search.roots.size, run.cardinality - int(search.state[FOUND])
    size = (roots, run.graph.n_cols - begun, run.graph.nonempty_rows, run.graph.nnz)
    worth = run.graph.n_cols + WAKING if search.state[READ] == 0 else 0
    try:
        if search.state[READ] == 0 and (threads := try_depth_first(run, search)):
            return MESH if threads > 1 else ALONE
        if many and search_before_others(run, search, worth, effort * edges):
            return DONE
        for look, share in LOOKS:
            if waiting and share > 0 and search.state[READ] < look * edges:
                search, edges, waiting = with_others(run, search, edges)
            if not waiting and search_with_limits(run, search, min(effort, look) * edges):
                return DONE
            seen = outlook(search.state, search.own, search.tally, size, share)
            if seen != SEARCH and (seen != TURN or has_few_cols(run)):
                return seen
        if roots_left(search) > (1 - SLOW) * roots:
            return PUSH
        if waiting:
            search, edges, waiting = with_others(run, search, edges)
        passes = effort - PART_OF_PASS
        while True:
            left, searches = roots_left(search), search.own[:, SEARCHES].sum()
            if search_with_limits(run, search, passes * edges):
                return DONE
            searches = search.own[:, SEARCHES].sum() - searches
            well = left - roots_left(search) > WELL * searches and search.state[ROUNDS] == 0
            if passes >= effort and not well:
                break
            passes += PART_OF_PASS
        left, longest = roots_left(search), search.tally[:, LONGEST].max()
        if left <= FEW_ROOTS:  # it does not pay to begin anew
            search_with_limits(run, search, math.inf)
            return DONE
    finally:
        report(run, search.tally)
    wide = longest >= LONG_PATH and left <= REST * roots
    return DEEP if wide or passes > effort else LAST


def with_others(run: Run, search: Arrays, edges: int) -> tuple[Arrays, int, bool]:
    """Return what several threads go on with, how many edges count as a pass, and no more waiting.

    They may read some more than a thread alone, which takes them longer.
    """
    with run.timed("search"):
        search = shared(search)
    return search, edges * (3 + search.own.shape[0]) // 4, False


@kernel
def outlook(state: Any, own: Any, tally: Any, size: Any, share: float) -> int:
    """Return what the searches so far speak for; at the first look `share` is 0.

    `size` says how many rows and columns the start has left unmatched, and how many rows and edges
    there are.
    """
    roots, free, rows, edges = size
    left, longest = state[ROOTS], 0
    for t in range(own.shape[0]):
        left -= own[t, DEALT_WITH]
        longest = max(longest, tally[t, LONGEST])
    dealt_with, found = roots - left, state[FOUND]
    if edges < WORTH_LOOKING:
        return SEARCH
    if share == 0.0:
        if left >= ASKEW_LEFT * roots and found <= ASKEW_FOUND * dealt_with:
            return TURN
    elif roots <= FAR_APART * rows and 2 * left > roots:
        return DEEP
    elif (
        found >= share * dealt_with
        and left >= HARD_LEFT * roots
        and free < MOST_SUPPLY * roots
        and edges >= THICK * rows
        and longest > SHORT_PATH
    ):
        far = left >= FAR_LEFT * roots and found >= FAR_FOUND * dealt_with
        return DEEP if far else PUSH
    return SEARCH


def has_few_cols(run: Run) -> bool:
    """Whether the columns have far fewer unmatched ones than the rows; builds the transpose."""
    run.own_graph()  # which keeps its transpose
    free = run.transpose().nonempty_rows - run.cardinality
    return bool(free < ASKEW_FREE * (run.graph.nonempty_rows - run.cardinality))
