"""Strong components by Tarjan's algorithm, without recursion, on a matched bipartite graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import kernel


@kernel
def strong_components(
    indptr: Any,
    indices: Any,
    col_match: Any,
    wanted: Any,
    rows: Any,
    component: Any,
    number: Any,
    low: Any,
    parent: Any,
    stack: Any,
    tried: Any,
) -> int:
    """Find the strong components of the matched pairs of some rows; return how many.

    Row x leads to the mate of each of its columns that are `wanted`. ``component[x]`` (−1 on entry)
    becomes its component, in the order in which they are finished: reverse topological. ``number``
    (zeros on entry) is the order of arrival from 1, ``low`` the earliest arrival reachable,
    ``parent`` the way back, ``tried`` the edges tried, ``stack`` the rows not yet in a component.
    """
    arrivals = 0
    n_stack = 0
    n_components = 0
    for i in range(rows.size):
        x = np.int64(rows[i])
        if number[x] != 0:
            continue
        parent[x] = -1
        arrive = True
        while x >= 0:
            if arrive:
                arrivals += 1
                number[x] = arrivals
                low[x] = arrivals
                tried[x] = 0
                stack[n_stack] = x
                n_stack += 1
            arrive = False
            begin, degree = np.int64(indptr[x]), np.int64(indptr[x + 1] - indptr[x])
            k = np.int64(tried[x])
            below = np.int64(-1)
            lowest = low[x]
            while k < degree:
                y = indices[begin + k]
                k += 1
                if wanted[y]:
                    z = np.int64(col_match[y])
                    if number[z] == 0:
                        below = z
                        break
                    if component[z] < 0 and number[z] < lowest:
                        lowest = number[z]
            tried[x] = k
            low[x] = lowest
            if below >= 0:
                parent[below] = x
                x = below
                arrive = True
                continue
            if lowest == number[x]:
                member = np.int64(-1)
                while member != x:
                    n_stack -= 1
                    member = np.int64(stack[n_stack])
                    component[member] = n_components
                n_components += 1
            above = np.int64(parent[x])
            if above >= 0 and low[x] < low[above]:
                low[above] = low[x]
            x = above
    return n_components
