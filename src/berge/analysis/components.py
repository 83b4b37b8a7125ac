"""Strong components of a matched bipartite graph, and the rows that reach an unmatched column.

Row x leads to row z if x has an entry in z's column. A depth-first search by D. Pearce's variant of
Tarjan's algorithm finds the strong components, without recursion. Suppose that a row sees an
unmatched column, or a row known to reach one. All rows that the search has not finished lead to the
row under way, so each of them reaches that column too. They become UNDER at once, and the search
begins anew elsewhere. No edge is read twice, and no transpose is needed to go against the edges.

``state[x]`` is

- NEW: not seen yet;
- OVER, set by the caller: to be left alone, wherever it is met;
- UNDER: reaches an unmatched column;
- from 1 up: the search has not finished x; the number on which it arrived, and once x is left, that
  of the earliest row which x is known to reach;
- from n_rows down: finished; the number of its component. Components are finished in reverse
  topological order, so from the lowest number up they are in topological order.

Unfinished rows have numbers from 1 up, as many as there are, and every component has a row of its
own. So the two ranges never meet, and an unfinished row is known by its lower number.

- ``stack``: from the front the path, from the back the rows that were left but not finished; no row
  is in both, so n_rows places are enough.
- ``tried[d]``, ``lowest[d]``: for the row at depth d of the path, its edges tried and the lowest
  number that it reaches.

Work O(rows + edges); memory four indices a row.

Reference: D. J. Pearce, "A space-efficient algorithm for finding strongly connected components",
Inf. Process. Lett. 116, 2016 (rindex → state, low → lowest); R. Tarjan, "Depth-first search and
linear graph algorithms", SIAM J. Comput. 1, 1972.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile.kernel import helper, kernel

NEW, UNDER, OVER = 0, -1, -2


@kernel
def strong_components(
    indptr: Any,
    indices: Any,
    col_match: Any,
    state: Any,
    stack: Any,
    tried: Any,
    lowest: Any,
) -> int:
    """Settle the state of all rows that are NEW, which must be matched; return the components."""
    n_rows: int = state.size
    component = n_rows
    for start in range(n_rows):
        if state[start] != NEW:
            continue
        depth, left, arrivals = 0, n_rows, 1
        stack[0], tried[0], lowest[0], state[start] = start, 0, 1, 1
        reaches_free = False
        while depth >= 0:
            x = np.int64(stack[depth])
            low = np.int64(lowest[depth])
            begin, end = np.int64(indptr[x]), np.int64(indptr[x + 1])
            k = begin + np.int64(tried[depth])
            below = np.int64(-1)
            while k < end:
                z = np.int64(col_match[indices[k]])
                k += 1
                if z < 0:
                    reaches_free = True
                    break
                seen = state[z]
                if seen < low:
                    if seen == NEW:
                        below = z
                        break
                    if seen == UNDER:
                        reaches_free = True
                        break
                    if seen != OVER:
                        low = np.int64(seen)
            if reaches_free:
                break
            if below >= 0:
                lowest[depth] = low
                tried[depth] = k - begin
                depth += 1
                arrivals += 1
                stack[depth], tried[depth], lowest[depth] = below, 0, arrivals
                state[below] = arrivals
                continue
            # All edges of x are tried: it is the first row of its component, or leads further up.
            depth -= 1
            if low == state[x]:
                while left < n_rows and state[stack[left]] >= low:
                    state[stack[left]] = component
                    left += 1
                    arrivals -= 1
                state[x] = component
                arrivals -= 1
                component -= 1
            else:
                state[x] = low
                left -= 1
                stack[left] = x
                if low < lowest[depth]:
                    lowest[depth] = low
        if reaches_free:
            for i in range(depth + 1):
                state[stack[i]] = UNDER
            for i in range(left, n_rows):
                state[stack[i]] = UNDER
    return n_rows - component


@kernel
def order_by_state(
    state: Any, row_match: Any, n_components: int, bounds: Any, row_order: Any
) -> None:
    """Sort the rows: UNDER, the components, OVER and matched, OVER and unmatched.

    Fills ``row_order`` with the rows, those of a group by number, and ``bounds`` (zeros on entry,
    ``n_components + 4`` of them) with where the groups begin and the last one ends.
    """
    # While rows are placed, bounds[g + 1] is where the next one of group g goes.
    for x in range(state.size):
        g = _group(state, row_match, n_components, x)
        if g + 2 < bounds.size:
            bounds[g + 2] += 1
    for g in range(2, bounds.size):
        bounds[g] += bounds[g - 1]
    for x in range(state.size):
        g = _group(state, row_match, n_components, x)
        row_order[bounds[g + 1]] = x
        bounds[g + 1] += 1


@helper
def _group(state: Any, row_match: Any, n_components: int, x: int) -> int:
    """Return which group a row is in, counted from 0."""
    if state[x] == UNDER:
        return 0
    if state[x] != OVER:
        return int(state[x]) - (int(state.size) - n_components)
    return n_components + 1 if row_match[x] >= 0 else n_components + 2
