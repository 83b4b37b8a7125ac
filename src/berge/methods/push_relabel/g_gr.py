"""G-GR (Algorithms 4 and 5 of G-PR): labels made exact by breadth-first search, a launch a level.

``psi_row[x]`` and ``psi_col[y]`` come to be the length in edges of a shortest alternating path to a
free column: even for columns, odd for rows, `far` where there is none.

Work O(nnz + n · levels). Memory: the transpose, and a label a vertex.

Slips and changes
    - ``flags[U_ADDED]`` holds the level that was added last, in place of whether there was one. So
      several levels are launched before it is read (`Device.ahead`).
    - Gap relabelling, which the paper names, is not there. To see a gap one must know how many
      vertices have each label: an atomic operation a push, or a pass over all labels a launch,
      while the next global relabelling, which finds out all that a gap would tell, is due after
      some k · maxLevel launches anyway.

In a level all who write to a place write the same; why it may run beside pushes is said in `g_pr`.

Reference: M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "A push-relabel-based maximum cardinality
bipartite matching algorithm on GPUs", ICPP 2013.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...compile.device import Device, per_item

# Entries of `flags`: the last iteration with an active row, and one; the last level added; whether
# a row was given up in doubt; whether one was made active again.
ACT_EXISTS, U_ADDED, DOUBT, REVIVED = range(4)


class Arrays(NamedTuple):
    """The graph, the matching, the transpose, and one labelling with its flags."""

    indptr: Any
    indices: Any
    mu_row: Any
    mu_col: Any
    t_indptr: Any
    t_indices: Any
    psi_row: Any
    psi_col: Any
    flags: Any
    far: np.int64


def g_gr(device: Device, a: Arrays, pause: Callable[[], None]) -> int:
    """G-GR (Algorithm 4): label all vertices by breadth-first search; return maxLevel."""
    n_cols = a.mu_col.size
    device.fill(a.psi_row, a.far)
    device.launch(init_relabel, n_cols, a)
    c_level = added = 0
    while added == c_level:
        for level in range(c_level, c_level + 2 * device.ahead, 2):
            device.launch(g_gr_krnl, n_cols, a, np.int64(level))
        c_level += 2 * device.ahead
        added = device.read(a.flags, U_ADDED)
        pause()
    return added + 2


@per_item
def init_relabel(y: int, a: Arrays) -> None:
    """INITRELABEL: free columns are at level 0, nothing else is reached yet."""
    a.psi_col[y] = 0 if a.mu_col[y] < 0 else a.far
    if y == 0:
        a.flags[U_ADDED] = 0


@per_item
def g_gr_krnl(y: int, a: Arrays, c_level: int) -> None:
    """G-GR-KRNL (Algorithm 5): a column of this level reaches rows, which stand for columns."""
    if a.psi_col[y] == c_level:
        for k in range(a.t_indptr[y], a.t_indptr[y + 1]):
            x = a.t_indices[k]
            if a.psi_row[x] == a.far:
                a.psi_row[x] = c_level + 1
                mate = np.int64(a.mu_row[x])
                if mate > -1 and a.mu_col[mate] == x:
                    a.psi_col[mate] = c_level + 2
                    a.flags[U_ADDED] = c_level + 2
