"""CSparse's Dulmage–Mendelsohn decomposition, where the library is installed.

``cs_dmperm`` of T. A. Davis, "Direct methods for sparse linear systems", SIAM 2006, called through
ctypes as the ``cs_di_`` functions of CXSparse (Debian: libcxsparse3 or libcxsparse4) name it: a
yardstick for `berge.dulmage_mendelsohn`, in time and in what comes out.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import time
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..graph import BipartiteGraph

__all__ = ["Coarse", "available", "dmperm"]

_NAMES = ("libcxsparse.so.4", "libcxsparse.so.3", "libcxsparse.dylib", "cxsparse.dll")
_Int = ctypes.c_int32
_Ints = ctypes.POINTER(_Int)


class _Matrix(ctypes.Structure):
    """``cs_di``: a matrix by columns."""

    _fields_ = (
        ("nzmax", _Int),
        ("m", _Int),
        ("n", _Int),
        ("p", _Ints),
        ("i", _Ints),
        ("x", ctypes.c_void_p),
        ("nz", _Int),
    )


class _Result(ctypes.Structure):
    """``cs_did``: the same in versions 3 and 4."""

    _fields_ = (
        ("p", _Ints),
        ("q", _Ints),
        ("r", _Ints),
        ("s", _Ints),
        ("nb", _Int),
        ("rr", _Int * 5),
        ("cc", _Int * 5),
    )


class Coarse(NamedTuple):
    """What of ``cs_dmperm`` does not depend on the matching that it found.

    ``rr`` and ``cc`` are as in `berge.Dmperm`; ``nb`` is the number of blocks, coarse ones and the
    square part's. `seconds` is the time of the call.
    """

    rr: tuple[int, ...]
    cc: tuple[int, ...]
    nb: int
    seconds: float


@cache
def _library() -> Any:
    """Load it; None where it is not installed or not as expected."""
    found = ctypes.util.find_library("cxsparse")
    for name in (*([found] if found else []), *_NAMES):
        try:
            library = ctypes.CDLL(name)
            library.cs_di_dmperm.restype = ctypes.POINTER(_Result)
            library.cs_di_dmperm.argtypes = [ctypes.POINTER(_Matrix), _Int]
            library.cs_di_dfree.restype = ctypes.c_void_p
            library.cs_di_dfree.argtypes = [ctypes.POINTER(_Result)]
        except (OSError, AttributeError):
            continue
        return library
    return None


def available() -> bool:
    """Whether the library is installed."""
    return _library() is not None


def dmperm(graph: BipartiteGraph, seed: int = 0) -> Coarse:
    """Decompose a graph by ``cs_dmperm``; only its own time is measured.

    Seed 0 takes the columns in order, −1 in reverse, others in random order.
    """
    library = _library()
    by_columns = graph.T  # CSparse's matrices are compressed by columns
    indptr = np.ascontiguousarray(by_columns.indptr, np.int32)
    indices = np.ascontiguousarray(by_columns.indices, np.int32)
    matrix = _Matrix(
        max(graph.nnz, 1),
        graph.n_rows,
        graph.n_cols,
        indptr.ctypes.data_as(_Ints),
        indices.ctypes.data_as(_Ints),
        None,
        -1,
    )
    start = time.perf_counter()
    result = library.cs_di_dmperm(ctypes.byref(matrix), seed)
    seconds = time.perf_counter() - start
    if not result:
        raise MemoryError("cs_dmperm returned nothing: out of memory")
    found = result.contents
    coarse = Coarse(tuple(found.rr), tuple(found.cc), int(found.nb), seconds)
    library.cs_di_dfree(result)
    return coarse
