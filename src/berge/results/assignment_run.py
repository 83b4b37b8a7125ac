"""What an algorithm of `assign` works on: the problem, the choice and the prices so far.

What is chosen is a matching, and the prices are feasible, whenever no kernel is running. So a run
may stop between any two kernels, and its prices then bound how much there is to gain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from .under_way import UnderWay

if TYPE_CHECKING:
    from ..methods.assignment.problem import Problem

__all__ = ["AssignmentRun", "AssignmentStats"]


@dataclass
class AssignmentStats:
    """What happened during a solve.

    Attributes
    ----------
    algorithm
        The algorithm that ran, or those that ran one after the other.
    phases, bids, searches
        Rounds with a smaller step each; rows that took a column by its price; shortest paths.
    edges
        Edges looked at by bids and searches.
    seconds
        Seconds by step.
    stopped
        Why it ended early, or None.
    """

    algorithm: str = ""
    phases: int = 0
    bids: int = 0
    searches: int = 0
    edges: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    stopped: str | None = None


@dataclass
class AssignmentRun(UnderWay):
    """One assignment under way.

    Attributes
    ----------
    problem
        What is to be chosen from, and what it costs.
    chosen
        Where every vertex has one unit: the column of each row, or −1. Else: for every edge,
        whether it is chosen. None before the algorithm begins.
    row_price, col_price
        The prices, or None, as for `chosen`. Those of columns alone will do to begin with.
    first
        The column of each row to begin with, or −1, if prices are given too. It may be anything.
    matched, needed
        How many units have a pair so far, and how many can at most: for those who watch.
    infeasible
        Whether a vertex that is required cannot be used. The rest then is as far as it got.
    """

    problem: Problem
    threads: int = 1
    seed: int = 0
    chosen: npt.NDArray[Any] | None = None
    row_price: npt.NDArray[Any] | None = None
    col_price: npt.NDArray[Any] | None = None
    first: npt.NDArray[Any] | None = None
    matched: int = 0
    infeasible: bool = False
    stats: AssignmentStats = field(default_factory=AssignmentStats)

    def __post_init__(self) -> None:
        self.seconds = self.stats.seconds
        units = self.problem.row_capacity, self.problem.col_capacity
        sizes = zip(units, self.problem.graph.shape, strict=True)
        self.needed = min(n if given is None else int(given.sum()) for given, n in sizes)

    def pause(self, matched: int = 0) -> None:
        """Report progress, and stop if time is up. Called between kernels."""
        self.matched = min(matched, self.needed)
        self.tell("search", self.stats.phases, self.matched, self.needed)
        super().pause()
