"""Makes the table of docs/pyamg.md: `python docs/pyamg_table.py`. Needs pyamg."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyamg
import scipy.sparse as sp
from pyamg.gallery.diffusion import diffusion_stencil_2d

import berge

GRID = (200, 200)


def problems():
    """Yield names and matrices."""
    yield "Poisson, grid", pyamg.gallery.poisson(GRID, format="csr")
    for name, stencil in (
        ("rotated", diffusion_stencil_2d(epsilon=0.01, theta=np.pi / 6, type="FE")),
        ("along the grid", diffusion_stencil_2d(epsilon=0.001, theta=0, type="FD")),
    ):
        yield name, pyamg.gallery.stencil_grid(stencil, GRID, format="csr")
    mesh = berge.generate.delaunay(40_000).to_scipy().astype(float)
    mesh.setdiag(0)
    mesh.eliminate_zeros()
    degrees = np.asarray(mesh.sum(axis=1)).ravel()
    yield "Delaunay", sp.csr_matrix(sp.diags(degrees + 1e-3) - mesh)


def aggregates(matrix, step):
    """Return groups of so many matchings a level, as PyAMG takes them."""
    h = berge.coarsen(matrix, until=100, weights=True)
    levels, given = range(0, len(h), step), []
    for fine, coarse in pairwise(levels):
        group = h.map(fine, coarse)
        ones = np.ones(group.size, np.int8)
        given.append((ones, group, np.arange(group.size + 1)))
    given = [("predefined", {"AggOp": sp.csr_matrix(parts)}) for parts in given]
    return {"aggregate": given, "max_levels": len(given) + 1}


def cell(matrix, **settings):
    """Return iterations and operator complexity."""
    solver = pyamg.smoothed_aggregation_solver(matrix, **settings)
    b, residuals = np.random.default_rng(0).random(matrix.shape[0]), []
    solver.solve(b, tol=1e-8, accel="cg", residuals=residuals)
    return f"{len(residuals) - 1}, {solver.operator_complexity():.2f}"


if __name__ == "__main__":
    for name, matrix in problems():
        theta = cell(matrix, strength=("symmetric", {"theta": 0.25}))
        cells = [cell(matrix), *(cell(matrix, **aggregates(matrix, step)) for step in (2, 3, 4))]
        print(f"| {name} | {' | '.join(cells)} |  with theta 0.25: {theta}")
