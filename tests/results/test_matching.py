"""The Matching object."""

from __future__ import annotations

import numpy as np
import pytest

import berge
from berge import InvalidMatchingError, Matching
from berge.graphs.owned import is_sealed


def example() -> Matching:
    return Matching(np.array([2, -1, 0]), np.array([2, -1, 0, -1]), upper_bound=3)


def test_facts():
    m = example()
    assert m.cardinality == 2
    assert (m.n_rows, m.n_cols) == (3, 4)
    assert m.unmatched_rows.tolist() == [1]
    assert m.unmatched_cols.tolist() == [1, 3]
    assert m.pairs().tolist() == [[0, 2], [2, 0]]
    assert m.as_dict() == {0: 2, 2: 0}
    assert not m.is_maximum
    assert not m.is_perfect
    assert repr(m) == "Matching(cardinality=2, upper_bound=3)"


def test_labels():
    m = Matching([1, 0], [1, 0], upper_bound=2, row_labels=["a", "b"], col_labels=["x", "y"])
    assert m.as_dict() == {"a": "y", "b": "x"}
    assert m.is_perfect
    assert repr(m) == "Matching(cardinality=2, perfect)"


def test_arrays_are_read_only_but_the_callers_are_not():
    mine = np.array([0])
    m = Matching(mine, np.array([0]), upper_bound=1)
    with pytest.raises(ValueError, match="read-only"):
        m.row_match[0] = -1
    mine[0] = -1


def test_arrays_are_the_matchings_own():
    """Kernels trust what was checked; whoever gave the arrays can still write to them."""
    rows, cols = np.array([1, -1]), np.array([-1, 0])
    matching = Matching(rows, cols, upper_bound=2)
    rows[0] = cols[1] = 2**30
    assert (matching.row_match.tolist(), matching.col_match.tolist()) == ([1, -1], [-1, 0])
    found = berge.maximum_matching(([0, 1], [0, 1]), algorithm="pothen-fan")
    for array in (matching.row_match, found.row_match):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
        assert is_sealed(array)
    assert np.shares_memory(found.turned().row_match, found.col_match)


def test_refuses():
    with pytest.raises(InvalidMatchingError, match="upper_bound 1 is below the cardinality 2"):
        Matching([0, 1], [0, 1], upper_bound=1)
    with pytest.raises(InvalidMatchingError, match="row_match must be"):
        Matching([0.5], [0], upper_bound=1)
    with pytest.raises(InvalidMatchingError, match="col_match must be"):
        Matching([0], [[0]], upper_bound=1)


def test_empty_matching_of_an_empty_graph():
    m = berge.maximum_matching(([], []))
    assert m.cardinality == 0
    assert m.is_perfect
    assert m.pairs().shape == (0, 2)


@pytest.mark.parametrize("suffix", [".npz", ".txt", ".json"])
def test_save_and_load(tmp_path, suffix):
    path = tmp_path / f"m{suffix}"
    example().save(path)
    again = Matching.load(path)
    assert again.row_match.tolist() == [2, -1, 0]
    assert again.col_match.tolist() == [2, -1, 0, -1]
    assert again.upper_bound == 3
