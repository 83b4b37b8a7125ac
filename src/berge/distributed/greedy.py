"""Maximal matchings of general graphs in parts, weighted or not, checked where the data lives.

A part of an undirected graph is a `Part` whose columns are the same vertices as its rows, cut
alike, with every edge in both directions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..checker.vertex_prices import bound_of, prices_of, unpaid
from ..errors import ProofError
from ..graphs.graph import index_type, not_square, unsigned
from ..results.greedy_matching import GreedyMatching
from ..results.lowest_prices import Prices, Rows, lowest
from ..results.vertex_prices import VertexPrices
from ..solve.default import choose_greedy
from ..solve.greedy import BLUE, options_of
from .communicator import Array, Communicator
from .halo import Halo
from .locally_dominant import locally_dominant
from .messages import by_owner, deliver, together
from .part import Part
from .part_run import PartRun
from .proof import check_cover, check_pairs
from .proposals import proposals


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class GreedyPart(GreedyMatching):
    """A part's share of a matching: its `mate` and `seconds` are the part's, all else the whole's.

    Attributes
    ----------
    valid, reason
        What the check found, edge by edge; and the first thing that is wrong or not maximal.
    exchanges, bytes
        Exchanges with those of the check, and bytes that this part sent.
    """

    valid: bool
    reason: str
    exchanges: int
    bytes: int

    def joined(
        self, mate: Array, prices: Prices | None = None, labels: Sequence[Any] | None = None
    ) -> GreedyMatching:
        """Return the matching of the whole, given what all parts have of each array."""
        mate.flags.writeable = False
        whole = {field.name: getattr(self, field.name) for field in fields(GreedyMatching)}
        whole |= {"mate": mate, "labels": labels}
        if prices is not None and self.upper_bound is not None:
            whole["certificate"] = VertexPrices(prices, self.upper_bound)
        return GreedyMatching(**whole)


def greedy_part(
    part: Part,
    comm: Communicator,
    *,
    method: str = "auto",
    p: float = BLUE,
    seed: int = 0,
    prove: bool = False,
) -> GreedyPart:
    """Make a maximal matching, together with the other parts, and check it. Collective.

    Parameters
    ----------
    part
        A part of an undirected graph: of a `Graph`, or made so by `make_undirected`.
    comm
        How it talks to the others; of a `PartRun`, as for `match_part`.
    method
        ``"locally-dominant"``, at least half as heavy as any matching, and the same on any number
        of parts; ``"proposals"`` or ``"weighted-proposals"``, which take some 2 · log n exchanges
        whatever the graph. By default the first with weights, and proposals without.
    p, seed
        Of proposals: how many vertices are blue, and their colours.
    prove
        Whether to find prices that bound what any matching weighs, and to check them.

    Examples
    --------
    >>> import berge
    >>> from berge.distributed.communicator import run_threads
    >>> from berge.distributed.greedy import greedy_part
    >>> from berge.distributed.part import Part
    >>> graph = berge.Graph.from_edges([0, 1, 2], [1, 2, 3], weights=[1, 5, 1])
    >>> def work(comm):
    ...     return greedy_part(Part.from_graph(graph, comm.rank, comm.size), comm)
    >>> results = run_threads(2, work)
    >>> [r.mate.tolist() for r in results], results[0].weight, results[0].is_maximal
    ([[-1, 2], [1, -1]], 5.0, True)
    """
    run = PartRun.of(comm)
    entry = choose_greedy(method, part.weights is not None, in_parts=True)
    options = options_of(entry, p)
    before = run.exchanges, run.bytes
    mate = np.full(len(part.rows), -1, np.int64)
    weights = np.ones(part.nnz) if part.weights is None else part.weights
    with run.timed("match"):
        halo = Halo.build(part, run)
        if entry.name == "locally-dominant":
            locally_dominant(halo, run, weights, mate)
        else:
            heaviest = entry.name == "weighted-proposals"
            proposals(halo, run, weights, mate, heaviest=heaviest, p=options["p"], seed=seed)
    with run.timed("check"):
        size, reason = check_pairs(part, run, mate, mate)
        valid = not reason
        if valid:
            # The matched vertices cover every edge: that is what maximal means.
            reason = check_cover(part, run, mate >= 0, mate >= 0)[1]
        heavy = sum(
            weights[entries][part.indices[entries] == mate[rows]].sum()
            for entries, rows in part.entries()
        )
        # Every edge is there twice.
        weight = _sum(run, heavy / 2)
    prices, bound = None, None
    if prove:
        with run.timed("prices"):
            prices = prices_of_part(halo, run, weights, mate)
        with run.timed("check"):
            bound = check_prices(part, run, weights, prices)
    run.seconds["total"] = run.elapsed
    return GreedyPart(
        mate=mate,
        size=size // 2,
        weight=weight,
        is_maximal=not reason,
        matched_fraction=tuple(run.fractions or [size / max(part.n_rows, 1)]),
        method=entry.name,
        seed=seed,
        seconds=run.seconds,
        stopped=run.stopped if reason else None,  # if time was up, it was not for too long
        upper_bound=bound,
        certificate=None if prices is None or bound is None else VertexPrices(prices, bound),
        valid=valid,
        reason=reason,
        exchanges=run.exchanges - before[0],
        bytes=run.bytes - before[1],
    )


def prices_of_part(halo: Halo, run: PartRun, weights: Any, mate: Array) -> Prices:
    """Return this part's prices, which bound what any matching weighs. An exchange a round."""
    n, seen = halo.n_own, np.zeros(0)

    def tell(prices: Any, paid: bool, total: float) -> tuple[bool, float]:
        """Hand on those that others have as ghosts, and take theirs."""
        nonlocal seen
        own = np.ascontiguousarray(prices[:n])
        changed = np.flatnonzero(own != seen) if seen.size == n else np.arange(n)
        changed, seen = changed[halo.held[changed + 1] > halo.held[changed]], own.copy()
        messages = halo.to_holders(changed, own[changed].view(np.int64))
        (received,), notes, _ = deliver(run, [messages], [int(paid), _bits(total)])
        ghosts, bits = np.concatenate(received).reshape(-1, 2).T
        places = np.searchsorted(halo.ghosts, ghosts)
        prices[n + places] = np.ascontiguousarray(bits).view(np.float64)
        sums = np.ascontiguousarray(notes[:, 1]).view(np.float64)
        return bool(notes[:, 0].all()), float(sums.sum())

    rows = Rows(halo.graph.indptr, halo.graph.indices, weights)
    return lowest(rows, unsigned(halo.part.indices), mate, tell, n + halo.ghosts.size)


def check_prices(part: Part, comm: Communicator, weights: Any, prices: Prices) -> float:
    """Return what no matching weighs more than, by prices that are checked edge by edge, in numpy.

    Two exchanges, by which the prices of columns are asked for. ProofError if one is too low.
    """
    with together(comm):
        own = prices_of(prices, len(part.rows))
    needed = np.unique(part.indices).astype(np.int64)
    asked, _ = comm.exchange(by_owner(part.col_bounds, needed[:, None]))
    told, _ = comm.exchange([own[each - part.cols.start].view(np.int64) for each in asked])
    theirs = np.concatenate(told).view(np.float64)
    with together(comm):
        for entries, rows in part.entries():
            cols = part.indices[entries]
            others = theirs[np.searchsorted(needed, cols)]
            loops = cols == rows + part.rows.start
            if (k := unpaid(own[rows], others, weights[entries], loops)) is not None:
                ends = f"vertices {rows[k] + part.rows.start} and {cols[k]}"
                raise ProofError(f"the prices of {ends} are below {weights[entries][k]}")
    return bound_of(_sum(comm, math.fsum(own)))


def _bits(number: float) -> int:
    """Return a floating-point number as it travels."""
    return int(np.float64(number).view(np.int64))


def _sum(comm: Communicator, number: float) -> float:
    """Return the sum of what all parts pass. One exchange."""
    notes = deliver(comm, [], [_bits(number)])[1]
    return math.fsum(np.ascontiguousarray(notes[:, 0]).view(np.float64))


def make_undirected(part: Part, comm: Communicator) -> Part:
    """Make any square graph undirected: every entry in both directions, no loops. One exchange."""
    if part.n_rows != part.n_cols:
        raise not_square((part.n_rows, part.n_cols))
    rows = np.repeat(np.arange(part.rows.start, part.rows.stop), np.diff(part.indptr))
    cols = part.indices.astype(np.int64)
    apart = rows != cols
    rows, cols = rows[apart], cols[apart]
    edges = np.column_stack([np.concatenate([rows, cols]), np.concatenate([cols, rows])])
    received, _ = comm.exchange(by_owner(part.row_bounds, edges))
    rows, cols = np.concatenate(received).reshape(-1, 2).T
    # In order of row and column, each once.
    keys = np.unique((rows - part.rows.start) * part.n_cols + cols)
    rows, cols = np.divmod(keys, max(part.n_cols, 1))
    indptr = np.searchsorted(rows, np.arange(len(part.rows) + 1)).astype(index_type(keys.size))
    return Part(
        part.rank,
        part.size,
        part.n_rows,
        part.n_cols,
        part.row_bounds,
        part.row_bounds,
        indptr,
        cols.astype(part.indices.dtype),
    )
