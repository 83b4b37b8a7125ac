"""Sparse matrices of scipy's other formats, whose indices scipy's own code does not look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph

__all__ = ["to_csr"]


def to_csr(matrix: Any) -> Any:
    """Return a matrix of another format in CSR, whose indices are still to be checked.

    Examples
    --------
    >>> from scipy.sparse import bsr_array
    >>> from berge.ingest.converted import to_csr
    >>> to_csr(bsr_array([[1, 2], [0, 3]], blocksize=(2, 2))).nnz
    4
    """
    if matrix.format != "bsr":
        return matrix.tocsr()
    from scipy.sparse import bsr_array

    data, shape = np.array(matrix.data), matrix.shape
    sizes = data.shape[1:]
    if len(sizes) != 2 or 0 in sizes or any(n % size for n, size in zip(shape, sizes, strict=True)):
        raise InvalidGraphError(f"blocks of {data.shape} do not make up a matrix of {shape}")
    whole = shape[0] // sizes[0], shape[1] // sizes[1]
    blocks = BipartiteGraph(matrix.indptr, matrix.indices, whole)
    if len(data) < blocks.nnz:
        raise InvalidGraphError(f"{len(data)} blocks of data for {blocks.nnz} indices")
    arrays = data[: blocks.nnz], np.array(blocks.indices), np.array(blocks.indptr)
    return bsr_array(arrays, shape=shape).tocsr()
