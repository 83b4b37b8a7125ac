"""Pairs of labels to berge's graphs; numbers are given as labels first appear."""

from __future__ import annotations

import reprlib
from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph

__all__ = ["graph_of_mapping", "graph_of_pairs"]


class _Edges:
    """Edges between labels, which are numbered in order of appearance on either side."""

    def __init__(self) -> None:
        self.numbers: tuple[dict[Any, int], dict[Any, int]] = {}, {}
        self.ends = array("q"), array("q")

    def number(self, side: int, label: Any) -> int:
        numbers = self.numbers[side]
        count = len(numbers)
        try:
            number = numbers.setdefault(label, count)
        except TypeError:
            raise InvalidGraphError(
                f"{reprlib.repr(label)} cannot be a label: a {type(label).__name__} is not hashable"
            ) from None
        if number == count and (label is None or (isinstance(label, float) and label != label)):
            raise InvalidGraphError(f"a label is missing: found {label!r}")
        return number

    def graph(self) -> BipartiteGraph:
        rows, cols = (np.frombuffer(ends, np.int64) for ends in self.ends)
        left, right = map(list, self.numbers)
        shape = len(left), len(right)
        return BipartiteGraph.from_edges(rows, cols, shape, row_labels=left, col_labels=right)


def graph_of_pairs(pairs: Iterable[Any]) -> BipartiteGraph:
    """Make a graph of (left, right) pairs of labels; repeats are kept and harmless.

    Examples
    --------
    >>> from berge.ingest.pairs import graph_of_pairs
    >>> graph_of_pairs([("ann", "cook"), ("ann", 7)]).col_labels
    ('cook', 7)
    """
    edges = _Edges()
    for k, pair in enumerate(pairs):
        try:
            left, right = pair if isinstance(pair, tuple) and len(pair) == 2 else _two_of(pair)
            for side, label in enumerate((left, right)):
                edges.ends[side].append(edges.number(side, label))
        except InvalidGraphError as error:
            raise InvalidGraphError(f"pair {k}: {error}") from None
    return edges.graph()


def _two_of(pair: Any) -> tuple[Any, Any]:
    """Unpack what is a pair though not a tuple; text and sets of two are none."""
    if isinstance(pair, Iterable) and not isinstance(pair, (str, bytes, set, frozenset, Mapping)):
        ends = list(pair)
        if len(ends) == 2:
            return ends[0], ends[1]
    raise InvalidGraphError(f"{reprlib.repr(pair)} is not (left, right)")


def graph_of_mapping(choices_of: Mapping[Any, Any]) -> BipartiteGraph:
    """Make a graph of ``{left: [right, …]}``, all by label."""
    edges = _Edges()
    for left, choices in choices_of.items():
        where = f"left {reprlib.repr(left)}"
        try:
            row = edges.number(0, left)
            if isinstance(choices, (str, bytes)) or not isinstance(choices, Iterable):
                raise InvalidGraphError(
                    f"expected a list of right labels, found {reprlib.repr(choices)}"
                )
            for k, right in enumerate(choices):
                where = f"left {reprlib.repr(left)}: item {k}"
                edges.ends[0].append(row)
                edges.ends[1].append(edges.number(1, right))
        except InvalidGraphError as error:
            raise InvalidGraphError(f"{where}: {error}") from None
    return edges.graph()
