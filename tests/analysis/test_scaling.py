"""Large entries to the diagonal: what MC64 promises."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array, eye_array, random_array

import berge
from berge import InvalidGraphError, OptionError

from ..conftest import DATA

TOLERANCE = 1e-12
# Two square ones; of the others as many rows and columns as can be are chosen.
MATRICES = (
    "bayer10", "bips98_606", "lp-dfl001", "lp-fast0507", "lp-maros-r7", "lp-msc98-ip", "lp-mzzv11",
    "lp-net12", "lp-nsrand-ipx", "lp-nw04", "lp-qap15", "lp-stocfor3",
)  # fmt: skip


def check(matrix, scaled) -> None:
    """Check that the matrix is what the scales and the order say, and has a diagonal of ones."""
    sizes = abs(scaled.matrix)
    assert np.abs(sizes.diagonal() - 1).max(initial=0) <= TOLERANCE
    assert sizes.data.max(initial=0) <= 1 + TOLERANCE
    assert sorted(scaled.row_order) == list(range(matrix.shape[0]))
    again = csr_array(matrix).astype(scaled.matrix.dtype).multiply(scaled.row_scale[:, None])
    again = csr_array(again.multiply(scaled.col_scale[None, :]))[scaled.row_order]
    assert abs(again - scaled.matrix).max() <= TOLERANCE


def square(name: str) -> csr_array:
    with np.load(DATA / f"{name}.npz") as file:
        shape, values = tuple(file["shape"]), file["data"].astype(float)
        matrix = csr_array((values, file["indices"], file["indptr"]), shape=shape)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if shape[0] != shape[1]:
        chosen = berge.assign(matrix, objective="product", match="maximum")
        matrix = matrix[np.sort(chosen.rows)][:, np.sort(chosen.cols)]
    return matrix


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="no folder of real graphs (set BERGE_DATA)")
@pytest.mark.parametrize("name", MATRICES)
def test_matrices(name):
    matrix = square(name)
    assert (matrix != matrix.T).nnz
    scaled = berge.scale_and_permute(matrix)
    check(matrix, scaled)
    scaled.assignment.prove()
    worst = np.abs(berge.scale_and_permute(matrix, "bottleneck").matrix.diagonal()).min()
    assert worst >= np.abs(matrix[scaled.row_order].diagonal()).min()


@pytest.mark.parametrize("seed", range(20))
def test_small(seed):
    rng = default_rng(seed)
    n = int(rng.integers(1, 30))
    some = random_array((n, n), density=0.3, rng=rng)
    matrix = csr_array(some + csr_array(eye_array(n))[rng.permutation(n)])
    matrix.data *= rng.choice([-1, 1], matrix.nnz) * 10.0 ** rng.integers(-40, 40, matrix.nnz)
    if seed % 3 == 0:
        matrix = matrix.astype(complex)
        matrix.data *= 1j
    scaled = berge.scale_and_permute(matrix)
    check(matrix, scaled)
    with np.errstate(divide="ignore"):
        logs = np.log(abs(matrix).toarray())
    logs[np.isinf(logs)] = -1e6
    rows, cols = linear_sum_assignment(logs, maximize=True)
    assert np.isclose(logs[rows, cols].sum(), logs[scaled.row_order, np.arange(n)].sum())


def test_dense_duplicates_and_zeros():
    check(np.ones((2, 2)), berge.scale_and_permute([[1, 1], [1, 1]]))
    twice = csr_array(([1.0, 2.0, 3.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    assert berge.scale_and_permute(twice, "bottleneck").matrix.diagonal().tolist() == [3, 3]
    assert berge.scale_and_permute(csr_array((0, 0))).row_order.size == 0


def test_errors():
    with pytest.raises(InvalidGraphError, match="singular: 2 rows have entries in only 1 column"):
        berge.scale_and_permute(csr_array([[1, 0], [1, 0]]))
    with pytest.raises(InvalidGraphError, match="row 1 and column 0 is nan"):
        berge.scale_and_permute([[1, 1], [np.nan, 1]])
    with pytest.raises(InvalidGraphError, match="square"):
        berge.scale_and_permute([[1, 2]])
    with pytest.raises(OptionError, match="product or bottleneck"):
        berge.scale_and_permute([[1]], "sum")
    with pytest.raises(InvalidGraphError, match="bottleneck"):
        berge.scale_and_permute(np.diag([1e-300] * 4) + np.diag([1e300] * 3, 1))
