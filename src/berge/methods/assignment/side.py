"""The problem as algorithms see it: from one side, with the choice and the prices so far.

Algorithms speak of rows that search for columns. `turned` hands them the problem from the other
side. All arrays but those of the transposed graph are shared between the two.

Whenever no kernel is running, with r(i, j) = cost(i, j) − u(i) − v(j):

- ``row_match[i]`` is the column of row i or −1, and ``col_match`` says the same of columns.
- r(i, j) ≥ 0 for every edge, and 0 if it is chosen.
- ``row_price[i]``, u(i), is at most ``row_leave[i]``; the same for columns, v(j).

So all that is missing is that unused vertices have the price of leaving. With floats all this
holds up to rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from ...compile import kernel
from ...graphs.graph import BipartiteGraph, unsigned
from ...results.assignment_run import AssignmentRun
from .problem import required


class Arrays(NamedTuple):
    """What kernels work on; the names are explained above. `never` is the price of required."""

    indptr: Any
    indices: Any
    costs: Any
    row_leave: Any
    col_leave: Any
    row_match: Any
    col_match: Any
    row_price: Any
    col_price: Any
    never: Any


class Side(NamedTuple):
    """A graph and the arrays that kernels work on."""

    graph: BipartiteGraph
    arrays: Arrays

    @classmethod
    def of(cls, run: AssignmentRun) -> Self:
        """Return the rows' side of a run with one unit a vertex, whose arrays become the run's.

        Of what the run begins with, column prices are kept, and pairs that these are right for.
        """
        problem = run.problem
        graph, costs = problem.graph, problem.costs
        never = required(costs.dtype)
        index = graph.indices.dtype
        given, run.chosen = run.col_price, np.full(graph.n_rows, -1, index)
        run.row_price = np.zeros(graph.n_rows, costs.dtype)
        run.col_price = np.where(problem.col_leave < never, problem.col_leave, 0)
        a = Arrays(
            unsigned(graph.indptr),
            unsigned(graph.indices),
            costs,
            problem.row_leave,
            problem.col_leave,
            run.chosen,
            np.full(graph.n_cols, -1, index),
            run.row_price,
            run.col_price,
            costs.dtype.type(never),
        )
        if given is None:
            lower_to_least_costs(a)
        else:
            np.minimum(problem.col_leave, given, out=run.col_price)
        lower_to_feasible(a)
        if run.first is not None:
            keep_tight(a, run.first)
        return cls(graph, a)

    def turned(self) -> Side:
        """Return the columns' side."""
        a, graph = self.arrays, self.graph.T
        indptr, indices = unsigned(graph.indptr), unsigned(graph.indices)
        costs = np.empty_like(a.costs)
        transpose_costs(a, indptr, np.array(indptr[:-1]), costs)
        return Side(
            graph,
            Arrays(
                indptr,
                indices,
                costs,
                a.col_leave,
                a.row_leave,
                a.col_match,
                a.row_match,
                a.col_price,
                a.row_price,
                a.never,
            ),
        )


@kernel
def lower_to_least_costs(a: Arrays) -> None:
    """Give each column that is required the cost of its cheapest edge as its price."""
    col_price, col_leave, never = a.col_price, a.col_leave, a.never
    for j in range(col_price.size):
        if col_leave[j] == never:
            col_price[j] = never
    for k in range(a.indices.size):
        j = a.indices[k]
        if col_leave[j] == never and a.costs[k] < col_price[j]:
            col_price[j] = a.costs[k]
    for j in range(col_price.size):
        if col_price[j] == never:  # it has no edge
            col_price[j] = 0


@kernel
def lower_to_feasible(a: Arrays) -> None:
    """Give each row the largest price that column prices allow."""
    indptr, indices, costs, col_price = a.indptr, a.indices, a.costs, a.col_price
    for i in range(a.row_price.size):
        least = a.row_leave[i]
        for k in range(indptr[i], indptr[i + 1]):
            least = min(least, costs[k] - col_price[indices[k]])
        a.row_price[i] = least if least < a.never else 0  # required, and has no edge


@kernel
def keep_tight(a: Arrays, pairs: Any) -> None:
    """Match each row to the column it is given, if that is free and the edge has reduced cost 0."""
    indices, costs, col_match = a.indices, a.costs, a.col_match
    for i in range(pairs.size):
        for k in range(a.indptr[i], a.indptr[i + 1]):
            j = np.int64(indices[k])
            tight = costs[k] - a.col_price[j] <= a.row_price[i]
            if j == pairs[i] and col_match[j] < 0 and tight:
                a.row_match[i], col_match[j] = j, i


@kernel
def settle_prices(a: Arrays) -> None:
    """Make the price of each used row what its edge and column say: sums were rounded."""
    for i in range(a.row_match.size):
        if a.row_match[i] >= 0:
            k = edge_of(a, i, a.row_match[i])
            a.row_price[i] = a.costs[k] - a.col_price[a.row_match[i]]


@kernel
def edge_of(a: Arrays, i: int, j: int) -> Any:
    """Return the place of the edge between row i and column j."""
    k = np.int64(a.indptr[i])
    while a.indices[k] != j:
        k += 1
    return k


@kernel
def transpose_costs(a: Arrays, indptr: Any, places: Any, costs: Any) -> None:
    """Put the costs in the order of the transpose; `places` begins as where its rows begin."""
    for k in range(a.costs.size):
        j = a.indices[k]
        costs[places[j]] = a.costs[k]
        places[j] += np.uint8(1)
