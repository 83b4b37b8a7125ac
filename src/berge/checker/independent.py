"""From two files to a verdict, without any code of berge but this folder: plain Python and numpy.

The searches below are not trusted. Of a maximum matching they find a vertex cover, or a Tutte–Berge
set, of any other a larger matching, and each is for a checker to accept.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import ProofError
from .check import check_matching
from .general import check_general
from .graphs import Piece, Source, read
from .matchings import has_bound, is_general, read_bipartite, read_cover, read_general
from .tutte_berge import check_cardinality
from .untrusted import Shape


class Verdict(NamedTuple):
    """What is known of a matching; `shape` has one number for a general graph.

    Where `best`, it is maximum, and `cover` has the rows and columns of a vertex cover. Of a
    general graph it is maximal. If its file tells an upper bound, it was found by an exact
    algorithm: then it is `maximum`, and `cover` has the sizes of a Tutte–Berge set and of the odd
    parts that this leaves. What no matching exceeds is the `bound`, if a cover in the file proves
    that it is not far. What is not known is None.
    """

    shape: tuple[int, ...]
    edges: int
    size: int | None = None
    weight: float | None = None
    valid: bool = False
    best: bool = False
    cover: tuple[int, int] | None = None
    reason: str | None = None
    maximum: bool | None = None
    bound: int | None = None


def verify(source: Source, matching: Path) -> Verdict:
    """Check that a file has a maximum matching of a graph, or a maximal one if it is a greedy one.

    Raises
    ------
    FormatError
        A file cannot be read; names it.
    ProofError
        The search is at fault: it has found neither a cover nor a larger matching.
    """
    general = is_general(matching, source.limits)
    found: Any = None
    reason = None
    try:
        found = (read_general if general else read_bipartite)(matching, source.limits)
    except ProofError as error:  # the file contradicts itself
        reason = str(error)
    if general:
        weighted = found is not None and found[1] != np.count_nonzero(found[0] >= 0) / 2
        source = replace(source, weighted=weighted)
    shape, edges = read(source, undirected=general)
    if found is None:
        count = _count_undirected(edges) if general else _count(edges)
        return Verdict(shape[: 1 if general else 2], count, reason=reason)
    if general and not weighted and has_bound(matching, source.limits):
        return _check_cardinality(shape[0], edges, found[0])
    if general:
        return _check_general(shape, edges, *found)
    verdict = _check_bipartite(shape, edges, *found)
    if verdict.valid and not verdict.best:
        cover = read_cover(matching, source.limits)
        return verdict if cover is None else _check_bound(verdict, shape, edges, found, cover)
    return verdict


def _check_bipartite(shape: Shape, edges: list[Piece], rows: Any, cols: Any) -> Verdict:
    size = int(np.count_nonzero(rows >= 0))
    verdict = Verdict(shape, _count(edges), size)
    try:
        check_matching(shape, edges, rows, cols)
    except ProofError as error:
        return verdict._replace(reason=str(error))
    cover, larger = search(shape, edges, rows, cols)
    if larger is None:
        check_matching(shape, edges, rows, cols, cover)
        sizes = int(cover[0].sum()), int(cover[1].sum())
        return verdict._replace(valid=True, best=True, cover=sizes)
    if (more := check_matching(shape, edges, *larger)) <= size:
        raise ProofError(f"the search has found {more} edges, which is no more than {size}")
    reason = f"not maximum: an augmenting path leads to a matching of {more} edges"
    return verdict._replace(valid=True, reason=reason)


def _check_bound(
    verdict: Verdict, shape: Shape, edges: list[Piece], found: Any, cover: tuple[Any, Any]
) -> Verdict:
    """Add what no matching exceeds, if the cover that came with the matching proves it."""
    sizes = int(cover[0].sum()), int(cover[1].sum())
    try:
        check_matching(shape, edges, found[0], found[1], cover, sum(sizes))
    except ProofError as error:
        return verdict._replace(reason=f"{verdict.reason}; of its cover: {error}")
    return verdict._replace(cover=sizes, bound=sum(sizes))


def _check_general(shape: Shape, edges: list[Piece], mate: Any, weight: float) -> Verdict:
    size = int(np.count_nonzero(mate >= 0)) // 2
    verdict = Verdict(shape[:1], _count_undirected(edges), size, weight)
    try:
        _, found, maximal = check_general(shape[0], edges, mate)
    except ProofError as error:
        return verdict._replace(reason=str(error))
    if abs(found - weight) > 1e-9 * weight:
        return verdict._replace(reason=f"the matching weighs {found}, not {weight}")
    reason = None if maximal else "an edge has two unmatched ends"
    return verdict._replace(valid=True, best=maximal, reason=reason)


def _check_cardinality(n: int, edges: list[Piece], mate: Any) -> Verdict:
    """Check what an exact algorithm has found."""
    size = int(np.count_nonzero(mate >= 0)) // 2
    verdict = Verdict((n,), _count_undirected(edges), size, maximum=False)
    try:
        check_cardinality(n, edges, mate)
    except ProofError as error:
        return verdict._replace(reason=str(error))
    part, larger = search_any(n, edges, mate)
    if larger is None:
        check_cardinality(n, edges, mate, part)
        odd = int((np.bincount(part[part >= 0], minlength=1) % 2).sum())
        sizes = int(np.count_nonzero(part < 0)), odd
        return verdict._replace(valid=True, best=True, maximum=True, cover=sizes)
    if (more := check_cardinality(n, edges, larger)) <= size:
        raise ProofError(f"the search has found {more} pairs, which is no more than {size}")
    reason = f"not maximum: an augmenting path leads to a matching of {more} pairs"
    return verdict._replace(valid=True, reason=reason)


def search(shape: Shape, edges: list[Piece], row_match: Any, col_match: Any) -> tuple[Any, Any]:
    """Return a cover of the matching's size and None, or None and a larger matching.

    Breadth first from the unmatched rows, by any edge to a column and by its matched edge on to a
    row. The cover is the rows not reached and the columns reached. An unmatched column that is
    reached ends an augmenting path.
    """
    rows = np.concatenate([np.zeros(0, np.int64), *(piece[0] for piece in edges)])
    cols = np.concatenate([np.zeros(0, np.int64), *(piece[1] for piece in edges)])
    cols = cols[np.argsort(rows, kind="stable")]
    begin = [0, *np.cumsum(np.bincount(rows, minlength=shape[0])).tolist()]
    row_mates, col_mates = row_match.tolist(), col_match.tolist()
    came_from = [-1] * shape[1]  # the row before a column that is reached
    queue = [row for row, col in enumerate(row_mates) if col < 0]
    for row in queue:  # which grows meanwhile
        for col in cols[begin[row] : begin[row + 1]].tolist():
            if came_from[col] >= 0:
                continue
            came_from[col] = row
            if col_mates[col] < 0:
                while col >= 0:  # take the path's other edges, from its end to its beginning
                    row = came_from[col]
                    col_mates[col], row_mates[row], col = row, col, row_mates[row]
                return None, (np.array(row_mates, np.int64), np.array(col_mates, np.int64))
            queue.append(col_mates[col])
    not_reached = np.ones(shape[0], bool)
    not_reached[queue] = False
    return (not_reached, np.array(came_from, np.int64) >= 0), None


def search_any(n: int, edges: list[Piece], mate: Any) -> tuple[Any, Any]:
    """Return a Tutte–Berge set by parts and None, or None and a larger matching.

    Edmonds' search from one unmatched vertex after the other. `before` leads back from a vertex
    reached as an inner one; in a blossom it also leads round the other way. `base` leads to the
    base of an outer vertex. Trees that end nowhere stay, and their inner vertices are the set.
    """
    ends, others = (np.concatenate([np.zeros(0, np.int64), *(p[k] for p in edges), *(p[1 - k]
                    for p in edges)]) for k in (0, 1))  # fmt: skip
    others = others[np.argsort(ends, kind="stable")]
    begin = [0, *np.cumsum(np.bincount(ends, minlength=n)).tolist()]
    mates = mate.tolist()
    before, base, kind = [-1] * n, list(range(n)), [0] * n  # 1 is inner, 2 is outer

    def base_of(v: int) -> int:
        while base[v] != v:
            base[v] = v = base[base[v]]
        return v

    for root in (v for v in range(n) if mate[v] < 0):
        kind[root], queue = 2, [root]
        for v in queue:  # which grows meanwhile
            for w in others[begin[v] : begin[v + 1]].tolist():
                if kind[w] == 0:
                    before[w] = v
                    if mates[w] < 0:
                        while w >= 0:  # turn the path over
                            v = before[w]
                            mates[v], mates[w], w = w, v, mates[v]
                        return None, np.array(mates, np.int64)
                    kind[w], kind[mates[w]] = 1, 2
                    queue.append(mates[w])
                elif kind[w] == 2 and base_of(v) != base_of(w):
                    passed, top = set(), base_of(v)
                    while top not in passed and mates[top] >= 0:
                        passed.add(top)
                        top = base_of(before[mates[top]])
                    passed.add(top)
                    top = base_of(w)
                    while top not in passed:
                        top = base_of(before[mates[top]])
                    bases = set()
                    for x, y in ((v, w), (w, v)):
                        while base_of(x) != top:
                            before[x], y = y, mates[x]
                            if kind[y] == 1:
                                kind[y] = 2
                                queue.append(y)
                            bases |= {base_of(x), base_of(y)}
                            x = before[y]
                    for b in bases:
                        base[b] = top
    rest = next((v for v in range(n) if kind[v] == 0), 0)
    of_kind = (lambda v: rest, lambda v: -1, base_of)
    return np.array([of_kind[kind[v]](v) for v in range(n)], np.int64), None


def _count(edges: list[Piece]) -> int:
    return sum(piece[0].size for piece in edges)


def _count_undirected(edges: list[Piece]) -> int:
    """Count edges once that are there twice or in both directions, and no loops."""
    u, v = (np.concatenate([np.zeros(0, np.int64), *(p[side] for p in edges)]) for side in (0, 1))
    lower, upper = np.minimum(u, v)[u != v], np.maximum(u, v)[u != v]
    order = np.lexsort((lower, upper))
    steps = np.diff(lower[order]).astype(bool) | np.diff(upper[order]).astype(bool)
    return int(np.count_nonzero(steps)) + (order.size > 0)
