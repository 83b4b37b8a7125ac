"""SS-BFS on a budget, then push-relabel from where it stopped.

Most graphs are easy: after a start, a breadth-first search from each unmatched row looks at each
edge once or twice in all, and needs no transpose, which alone takes as long. Where it has not come
to its end after ``effort`` times the edges, the graph is of the other kind, and push-relabel goes
on from the matching so far: switching loses nothing.

Work O(n · nnz), that of push-relabel. Memory: that of the two, one after the other.

References: see `ss_bfs` and `push_relabel`.
"""

from __future__ import annotations

from ..push_relabel.push_relabel import push_relabel
from ..run import Run
from .ss_bfs import search_rows


def mixed(run: Run, *, effort: float = 4.0) -> None:
    """Make the matching maximum."""
    if not search_rows(run, effort * run.graph.nnz):
        push_relabel(run)
