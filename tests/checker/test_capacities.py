"""The checker of matchings with capacities refuses all that is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import berge
from berge import BipartiteGraph, ProofError

GRAPH = BipartiteGraph.from_edges([0, 0, 1, 1, 2], [0, 1, 0, 1, 0], (3, 2))


def matching():
    """Return a matching of the graph: row 0 may have two columns, column 0 two rows."""
    return berge.maximum_matching(GRAPH, capacity_left=[2, 1, 1], capacity_right=[2, 1])


def test_right():
    """What is right is accepted."""
    m = matching()
    assert m.prove(GRAPH).size == m.cardinality == m.check(GRAPH) == 3


def forged():
    """Yield what is wrong, and the words for it."""
    m = matching()
    rows, cols = m.rows.copy(), m.cols.copy()
    yield replace(m, rows=rows[:-1]), "no pairs"
    yield (
        replace(m, rows=np.append(rows, rows[0]), cols=np.append(cols, cols[0])),
        "in 2|in 3|twice",
    )
    yield replace(m, rows=np.append(rows, rows[:1]), cols=np.append(cols, cols[:1]),
                  row_units=(m.row_units[0], m.row_units[1] + 5),
                  col_units=(m.col_units[0], m.col_units[1] + 5)), "twice"  # fmt: skip
    yield replace(m, rows=np.array([2]), cols=np.array([1])), "not a neighbour"
    yield replace(m, rows=np.array([3]), cols=np.array([0])), "out of range"
    yield replace(m, rows=np.array([0]), cols=np.array([-1])), "out of range"
    yield replace(m, rows=rows[1:], cols=cols[1:]), "not a proof"
    yield replace(m, row_units=(m.row_units[0], m.row_units[1] * 0)), "must be in 0 to 0"
    yield replace(m, row_units=(m.row_units[1] + 1, m.row_units[1] + 1)), "must be in"
    p, q = m.cover
    yield replace(m, cover=(p, ~q)), "not a proof"
    yield replace(m, cover=(~p, q)), "not a proof"
    yield replace(m, cover=(p[1:], q)), "is for 2"
    yield replace(m, cover=(p.astype(int), q)), "truth values"
    yield replace(m, row_units=(m.row_units[0][1:], m.row_units[1])), "entries"


@pytest.mark.parametrize(("wrong", "words"), list(forged()))
def test_forged(wrong, words):
    """What is wrong is refused."""
    with pytest.raises(ProofError, match=words):
        wrong.prove(GRAPH)


def test_duplicates():
    """An edge that is there twice counts once."""
    graph = BipartiteGraph.from_edges([0, 0, 0], [0, 0, 1], (1, 2))
    m = berge.maximum_matching(graph, capacity_left=9, capacity_right=9)
    proof = m.prove(graph)
    assert proof.size == proof.edges == 2
    assert repr(proof) == (
        "CapacityCertificate(2 at most: 0 at 0 rows, 0 at 0 columns, 2 other edges)"
    )
