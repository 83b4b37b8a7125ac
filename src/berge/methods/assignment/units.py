"""The problem with capacities as algorithms see it: units of vertices, from one side.

A unit of a vertex is *in use* at the end of a chosen edge, *parked*, which costs `leave`, or
*open*: nothing is decided yet. Vertices are not copied, however many units they have. They have one
numbering: rows, then columns. Algorithms let rows search for columns; `turned` hands them the
problem from the other side.

Whenever no kernel is running, with r(i, j) = cost(i, j) − price(i) − price(j):

- r ≥ 0 for every edge that is not chosen, and ≤ 0 for every edge that is;
- price ≥ leave for a vertex with parked units, and ≤ leave for one that could park another.

So all that is missing is that no unit is open: the choice is then the cheapest one (complementary
slackness). With floats all this holds up to rounding.

- ``price[x]``, ``leave[x]``, ``open_units[x]``; ``parked[x]`` ≤ ``room[x]``, the units of x that
  are not required.
- ``chosen[k]``: whether edge k is. The chosen edges of column y and their rows are in ``slot_edge``
  and ``slot_row``, from slots[y] to slots[y] + used[y] − 1.

Memory: 1 byte an edge; two indices a slot, of which a column has as many as units, or edges if
these are fewer; 5 words a vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from ...compile import helper, kernel
from ...graphs.graph import BipartiteGraph, IndexArray, index_type, unsigned
from ...results.assignment_run import AssignmentRun
from .problem import Problem, required


class Arrays(NamedTuple):
    """What kernels work on; the names are explained above. `never` is the price of required."""

    indptr: Any
    indices: Any
    costs: Any
    price: Any
    leave: Any
    open_units: Any
    parked: Any
    room: Any
    chosen: Any
    slots: Any
    used: Any
    slot_edge: Any
    slot_row: Any
    never: Any


class Units(NamedTuple):
    """A graph, the arrays that kernels work on, and where this side's edges are on the first."""

    graph: BipartiteGraph
    arrays: Arrays
    places: IndexArray | None = None

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the rows' side of a problem: all prices are 0, all units open."""
        graph, costs = problem.graph, problem.costs
        never = required(costs.dtype)
        capacity = _both(graph, problem.row_capacity, problem.col_capacity, 1)
        leave = np.concatenate([problem.row_leave, problem.col_leave]).astype(costs.dtype)
        room = capacity - _both(graph, problem.row_least, problem.col_least, 0)
        room[leave == never] = 0
        leave[room == 0] = 0
        return cls._with(
            graph,
            costs,
            np.zeros(leave.size, costs.dtype),
            leave,
            capacity,
            np.zeros(leave.size, np.int64),
            room,
            np.zeros(graph.nnz, np.bool_),
        )

    @classmethod
    def _with(
        cls, graph: BipartiteGraph, costs: Any, price: Any, leave: Any, open_units: Any,
        parked: Any, room: Any, chosen: Any, places: Any = None,
    ) -> Self:  # fmt: skip
        """Return the side with these arrays, of which slots are none."""
        capacity = (open_units + parked)[graph.n_rows :]
        capacity += np.bincount(graph.indices[chosen], minlength=graph.n_cols)
        slots = np.zeros(graph.n_cols + 1, np.int64)
        np.cumsum(np.minimum(graph.col_degrees, capacity), out=slots[1:])
        vertex, edge = index_type(sum(graph.shape)), index_type(graph.nnz)
        a = Arrays(
            unsigned(graph.indptr),
            unsigned(graph.indices),
            costs,
            price,
            leave,
            open_units,
            parked,
            room,
            chosen,
            slots=slots,
            used=np.zeros(graph.n_cols, np.int64),
            slot_edge=np.empty(slots[-1], edge),
            slot_row=np.empty(slots[-1], vertex),
            never=costs.dtype.type(required(costs.dtype)),
        )
        fill_slots(a)
        return cls(graph, a, places)

    def turned(self) -> Units:
        """Return the columns' side; what is done there has to be brought `back`."""
        graph, a = self.graph.T, self.arrays
        places = np.empty(graph.nnz, a.slot_edge.dtype)
        find_places(unsigned(graph.indptr), a.indices, np.zeros(graph.n_rows, np.int64), places)
        first = self.graph.n_rows
        price, leave, open_units, parked, room = (
            np.roll(values, -first) for values in (a.price, a.leave, a.open_units, a.parked, a.room)
        )
        return self._with(
            graph, a.costs[places], price, leave, open_units, parked, room, a.chosen[places], places
        )

    def bring_back(self, turned: Units) -> None:
        """Bring back what was done on the other side; slots remain as they were."""
        a, b = self.arrays, turned.arrays
        first = turned.graph.n_rows
        for values, others in (
            (a.price, b.price), (a.open_units, b.open_units), (a.parked, b.parked),
        ):  # fmt: skip
            values[:] = np.roll(others, -first)
        a.chosen[turned.places] = b.chosen

    def report(self, run: AssignmentRun) -> None:
        """Give the run the choice and the prices, in the form that it wants them."""
        a, n_rows = self.arrays, self.graph.n_rows
        run.row_price, run.col_price = a.price[:n_rows], a.price[n_rows:]
        problem = run.problem
        given = problem.row_capacity, problem.col_capacity, problem.row_least, problem.col_least
        run.chosen = a.chosen
        if any(units is not None for units in given):
            return
        # One unit a vertex: chosen edges have r = 0, and unused vertices the price of leaving.
        edges = np.flatnonzero(a.chosen)
        rows = np.searchsorted(self.graph.indptr, edges, side="right") - 1
        cols = self.graph.indices[edges]
        run.chosen = np.full(n_rows, -1, self.graph.indices.dtype)
        run.chosen[rows] = cols
        idle = a.parked > 0
        a.price[idle] = a.leave[idle]
        run.row_price[rows] = a.costs[edges] - run.col_price[cols]


def _both(graph: BipartiteGraph, of_rows: Any, of_cols: Any, otherwise: int) -> Any:
    """Return one array for all vertices; None is the same number for each."""
    given = zip((of_rows, of_cols), graph.shape, strict=True)
    return np.concatenate(
        [np.full(n, otherwise) if a is None else np.asarray(a, np.int64) for a, n in given]
    )


@kernel
def find_places(t_indptr: Any, indices: Any, taken: Any, places: Any) -> None:
    """Find where each entry of the transpose is in the graph."""
    for k in range(indices.size):
        j = indices[k]
        places[t_indptr[j] + taken[j]] = k
        taken[j] += 1


@kernel
def fill_slots(a: Arrays) -> None:
    """Put the chosen edges into the slots of their columns."""
    for x in range(a.indptr.size - 1):
        for k in range(a.indptr[x], a.indptr[x + 1]):
            if a.chosen[k]:
                add(a, np.int64(a.indices[k]), k, x)


@helper
def add(a: Arrays, y: int, k: int, x: int) -> None:
    """Choose edge k of row x and column y."""
    s = a.slots[y] + a.used[y]
    a.used[y] += 1
    a.slot_edge[s] = k
    a.slot_row[s] = x
    a.chosen[k] = True
