"""Sparse matrices that nobody else can change, for what is left to scipy's own compiled code.

That code does not look at indices: wrong ones, or such that another thread changes, lead it astray.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .converted import to_csr
from .weighted import as_weighted

__all__ = ["own_csr"]


def own_csr(matrix: Any) -> Any:
    """Return a ``scipy.sparse.csr_array`` of what was checked; duplicates are kept.

    Examples
    --------
    >>> from scipy.sparse import coo_array
    >>> from berge.ingest.own import own_csr
    >>> own_csr(coo_array(([5.0, 7.0], ([1, 0], [0, 1])))).data
    array([7., 5.])
    """
    from scipy.sparse import csr_array

    stored = matrix if matrix.format in ("csr", "csc", "coo") else to_csr(matrix)
    data = np.array(stored.data)
    graph, places = as_weighted(stored, np.arange(data.size))
    arrays = data[places], np.array(graph.indices), np.array(graph.indptr)
    return csr_array(arrays, shape=graph.shape)
