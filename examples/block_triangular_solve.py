"""Solve a sparse linear system block by block, after permuting it to block triangular form.

    python examples/block_triangular_solve.py [--blocks N] [--size N]

Only the diagonal blocks are factorised; what is above them is multiplied. For systems of equations
that come in stages this saves most of the fill, and so most of the time. Three matrices are solved:

- one of many irreducible blocks, rows and columns shuffled, where it pays: LU of the whole, which
  cannot know the blocks, fills in across them;
- a grid, which is one irreducible block, where it does not: there is nothing to gain;
- one of blocks of two rows, where it does not either: there is little fill to save, and a loop over
  thousands of blocks in Python takes longer than LU of the whole.

Which of them a matrix is like, the sizes of its blocks tell before anything is factorised.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

import berge


class BlockTriangularLU:
    """LU factors of the diagonal blocks of a structurally nonsingular matrix."""

    def __init__(self, matrix: Any):
        form = berge.block_triangular_form(matrix)
        if not np.array_equal(form.row_blocks, form.col_blocks):
            raise ValueError(berge.is_structurally_singular(matrix).reason)
        self.form = form
        self.permuted = matrix[form.row_order][:, form.col_order].tocsr()
        self.blocks = []
        for begin, end in zip(form.row_blocks[:-1], form.row_blocks[1:], strict=True):
            rows = self.permuted[begin:end]
            self.blocks.append((begin, end, splu(rows[:, begin:end].tocsc()), rows[:, end:]))

    @property
    def fill(self) -> int:
        """Number of entries stored: the factors, and what is above the diagonal blocks."""
        return sum(lu.L.nnz + lu.U.nnz + above.nnz for _, _, lu, above in self.blocks)

    def solve(self, right: Any) -> Any:
        """Return x with A x = right, from the last block up."""
        y = right[self.form.row_order].astype(float)
        for begin, end, lu, above in reversed(self.blocks):
            y[begin:end] = lu.solve(y[begin:end] - above @ y[end:])
        x = np.empty_like(y)
        x[self.form.col_order] = y
        return x


def staged_system(n_blocks: int, size: int, seed: int = 0) -> Any:
    """Return irreducible blocks, each coupled to ten later ones, rows and columns shuffled."""
    rng = np.random.default_rng(seed)
    n = n_blocks * size
    begin = np.repeat(np.arange(n_blocks) * size, size)
    row = np.arange(n)
    following = begin + (row - begin + 1) % size  # a cycle through each block
    inside = np.repeat(row, 3), np.repeat(begin, 3) + rng.integers(0, size, 3 * n)
    coupled = np.repeat(row, 2), np.repeat(begin, 2) + rng.integers(size, 11 * size, 2 * n)
    rows = np.concatenate([row, row, inside[0], coupled[0]])
    cols = np.concatenate([row, following, inside[1], coupled[1]])
    values = rng.uniform(-1, 1, rows.size)
    values[:n] += 4 * np.sign(values[:n])
    kept = cols < n
    matrix = sparse.coo_array((values[kept], (rows[kept], cols[kept])), (n, n)).tocsr()
    return matrix[rng.permutation(n)][:, rng.permutation(n)]


def grid_system(width: int) -> Any:
    """Return the five-point stencil with random values."""
    matrix = berge.generate.grid(width, width).to_scipy().astype(float)
    matrix.data = np.random.default_rng(0).uniform(-1, 1, matrix.nnz)
    return (matrix + 4 * sparse.eye_array(width * width)).tocsr()


def compare(name: str, matrix: Any) -> None:
    """Solve both ways and print time, fill and residual."""
    right = np.random.default_rng(1).uniform(-1, 1, matrix.shape[0])
    berge.block_triangular_form(matrix)  # compiled code is loaded on the first call
    start = time.perf_counter()
    sizes = np.diff(berge.block_triangular_form(matrix).row_blocks)
    seconds = time.perf_counter() - start
    print(f"{name}: {matrix.shape[0]:,} rows, {matrix.nnz:,} entries")
    print(
        f"  {sizes.size:,} block(s), the largest of {sizes.max():,} rows, found in {seconds:.4f} s"
    )
    print(f"  {'':16}{'factorise':>12}{'solve':>12}{'entries':>14}{'residual':>12}")
    methods: dict[str, Callable[[Any], Any]] = {
        "splu": lambda a: splu(a.tocsc()),
        "block by block": BlockTriangularLU,
    }
    taken = {}
    for method, factorise in methods.items():
        start = time.perf_counter()
        factors = factorise(matrix)
        factorised = time.perf_counter()
        x = factors.solve(right)
        solved = time.perf_counter()
        taken[method] = solved - start
        fill = factors.fill if hasattr(factors, "fill") else factors.L.nnz + factors.U.nnz
        residual = float(np.abs(matrix @ x - right).max())
        print(
            f"  {method:16}{factorised - start:>10.3f} s{solved - factorised:>10.3f} s"
            f"{fill:>14,}{residual:>12.1e}"
        )
    ratio = taken["splu"] / taken["block by block"]
    verdict = "it pays" if ratio > 1.1 else "it does not pay"
    print(f"  splu takes {ratio:.2f} times as long: {verdict} to go block by block\n")


def main() -> None:
    """Compare on all three matrices."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=300, help="irreducible blocks")
    parser.add_argument("--size", type=int, default=50, help="rows of a block")
    options = parser.parse_args()
    compare("stages", staged_system(options.blocks, options.size))
    compare("grid", grid_system(100))
    compare("pairs", staged_system(2500, 2))


if __name__ == "__main__":
    main()
