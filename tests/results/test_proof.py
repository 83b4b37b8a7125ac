"""The checker accepts what is right and refuses all that is wrong."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import berge
from berge import Certificate, Matching, ProofError, generate

GRAPH = berge.BipartiteGraph.from_edges([0, 0, 1, 2], [0, 1, 0, 0], (3, 3))


def matching(rows, cols=None, bound=3):
    if cols is None:
        cols = np.full(3, -1)
        for i, j in enumerate(rows):
            if j >= 0:
                cols[j] = i
    return Matching(np.array(rows), np.array(cols), upper_bound=bound)


def cover(rows, cols):
    return Certificate(np.isin(np.arange(3), rows), np.isin(np.arange(3), cols))


def test_accepts_a_proof():
    berge.verify(GRAPH, matching([1, 0, -1]), cover([0], [0]))
    berge.verify(GRAPH, matching([-1, 0, -1]))
    berge.verify(GRAPH, matching([-1, -1, -1]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (matching([-1, 1, -1]), "row 1 is matched to column 1, not a neighbour"),
        (matching([0, 0, -1], [0, -1, -1]), "row 1 is matched to column 0, which is matched to 0"),
        (
            matching([-1, 0, -1], [-1, -1, -1]),
            "row 1 is matched to column 0, which is matched to -1",
        ),
        (
            matching([-1, -1, -1], [1, -1, -1]),
            "column 0 is matched to row 1, which is matched to -1",
        ),
        (matching([-1, 7, -1], [-1, -1, -1]), "row 1 is matched to column 7: out of range"),
        (matching([-1, -2, -1], [-1, -1, -1]), "out of range"),
        (Matching(np.array([-1]), np.array([-1]), upper_bound=1), "for 1 × 1 vertices"),
    ],
)
def test_refuses_what_is_not_a_matching(wrong, message):
    with pytest.raises(ProofError, match=message):
        berge.verify(GRAPH, wrong)
    with pytest.raises(ProofError):
        wrong.prove(GRAPH)


def test_refuses_covers_that_prove_nothing():
    good = matching([1, 0, -1])
    with pytest.raises(ProofError, match="row 2 and column 0 is not covered"):
        berge.verify(GRAPH, good, cover([0, 1], []))
    with pytest.raises(ProofError, match="3 vertices and the matching 2 edges"):
        berge.verify(GRAPH, good, cover([0, 1], [0]))
    with pytest.raises(ProofError, match="cover is for 2 × 3"):
        berge.verify(GRAPH, good, Certificate(np.zeros(2, bool), np.ones(3, bool)))


def test_prove_refuses_what_is_not_maximum():
    with pytest.raises(ProofError, match="augmenting path leads from an unmatched row to column 1"):
        matching([0, -1, -1]).prove(GRAPH)


def test_prove_makes_the_bound_tight():
    found = matching([1, 0, -1])
    assert not found.is_maximum
    assert found.certificate is None
    found.prove(GRAPH)
    assert found.is_maximum
    assert found.certificate.size == 2


def test_every_edge_is_looked_at(monkeypatch):
    """Chunks must cover all rows, whatever their degrees."""
    from berge.results import proof

    monkeypatch.setattr(proof, "_CHUNK", 3)
    graph = generate.power_law(60, 40, 3, seed=2)
    found = berge.maximum_matching(graph)
    certificate = found.prove(graph)
    for k in np.flatnonzero(certificate.rows):
        rows = certificate.rows.copy()
        rows[k] = False
        with pytest.raises(ProofError):
            berge.verify(graph, found, Certificate(rows, certificate.cols))


def test_the_check_in_numpy_imports_no_solver_and_no_compiler():
    code = (
        "import sys, numpy as np, berge, berge.results.proof\n"
        "m = berge.Matching(np.array([0]), np.array([0]), upper_bound=1)\n"
        "g = berge.BipartiteGraph([0, 1], [0], (1, 1))\n"
        "c = berge.Certificate(np.array([True]), np.array([False]))\n"
        "berge.verify(g, m, c, check='numpy')\n"
        "bad = [n for n in sys.modules if n.startswith(('numba', 'berge.methods.augmenting', "
        "'berge.methods.starts', 'berge.compile', 'berge.solve.maximum'))]\n"
        "assert not bad, bad\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
