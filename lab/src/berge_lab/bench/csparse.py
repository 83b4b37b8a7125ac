"""SuiteSparse's codes for the same problems, where Debian's libraries are installed.

These are yardsticks for `berge.dulmage_mendelsohn` and `berge.maximum_matching`, in time and in
results: ``cs_dmperm`` and ``cs_maxtrans`` of CXSparse (libcxsparse3 or libcxsparse4), and
``btf_maxtrans`` of BTF (libbtf1 or libbtf2). They are called through ctypes; those of CXSparse are
named ``cs_di_…`` there. Reference: T. A. Davis, "Direct methods for sparse linear systems", SIAM
2006.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import time
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from berge.graphs.graph import BipartiteGraph

__all__ = ["Coarse", "available", "btf_available", "btf_maxtrans", "cs_maxtrans", "dmperm"]

_Int = ctypes.c_int32
_Ints = ctypes.POINTER(_Int)
_Array = npt.NDArray[Any]


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
    """Load CXSparse; None where it is not installed or not as expected."""
    matrix, ints = ctypes.POINTER(_Matrix), ctypes.c_void_p
    return _load(
        "cxsparse",
        (4, 3),
        cs_di_dmperm=(ctypes.POINTER(_Result), [matrix, _Int]),
        cs_di_dfree=(ctypes.c_void_p, [ctypes.POINTER(_Result)]),
        cs_di_maxtrans=(ctypes.c_void_p, [matrix, _Int]),
        cs_di_free=(ctypes.c_void_p, [ints]),
    )


@cache
def _btf() -> Any:
    """Load BTF; None where it is not installed."""
    work = [ctypes.c_double, ctypes.POINTER(ctypes.c_double)]
    return _load(
        "btf", (2, 1), btf_maxtrans=(_Int, [_Int, _Int, _Ints, _Ints, *work, _Ints, _Ints])
    )


def _load(name: str, versions: tuple[int, ...], **functions: tuple[Any, list[Any]]) -> Any:
    """Load a library that has these functions, each given by what it returns and takes."""
    found = ctypes.util.find_library(name)
    numbered = [f"lib{name}.so.{number}" for number in versions]
    for file in (*([found] if found else []), *numbered, f"lib{name}.dylib", f"{name}.dll"):
        try:
            library = ctypes.CDLL(file)
            for function, (returned, taken) in functions.items():
                getattr(library, function).restype = returned
                getattr(library, function).argtypes = taken
        except (OSError, AttributeError):
            continue
        return library
    return None


def available() -> bool:
    """Whether CXSparse is installed."""
    return _library() is not None


def btf_available() -> bool:
    """Whether BTF is installed."""
    return _btf() is not None


def cs_maxtrans(indptr: _Array, indices: _Array, shape: tuple[int, int]) -> _Array:
    """Return the column of each row, or −1, by ``cs_maxtrans`` in natural order.

    It takes compressed columns. Compressed rows are those of the transpose, which has the same
    matching. It makes a transpose of its own where it sees fit.
    """
    n_rows, n_cols = shape
    matrix, _keep = _by_columns(indptr, indices, (n_cols, n_rows))
    result = _library().cs_di_maxtrans(ctypes.byref(matrix), 0)
    if not result:
        raise MemoryError("cs_maxtrans returned nothing: out of memory")
    # First the match of each of the matrix's rows (our columns), then of its columns.
    both = np.ctypeslib.as_array(ctypes.cast(result, _Ints), (n_rows + n_cols,))
    match: _Array = both[n_cols:].copy()
    _library().cs_di_free(result)
    return match


def btf_maxtrans(indptr: _Array, indices: _Array, shape: tuple[int, int]) -> _Array:
    """Return the row of each column, or −1, by ``btf_maxtrans`` without a limit on its work.

    As above, compressed rows are taken as compressed columns of the transpose.
    """
    n_rows, n_cols = shape
    match = np.empty(n_cols, np.int32)
    work = np.empty(5 * n_rows, np.int32)
    arrays = [np.ascontiguousarray(array, np.int32) for array in (indptr, indices)]
    done = ctypes.c_double()
    _btf().btf_maxtrans(
        n_cols,
        n_rows,
        *(_pointer(array) for array in arrays),
        0.0,
        ctypes.byref(done),
        _pointer(match),
        _pointer(work),
    )
    return match


def _pointer(array: _Array) -> Any:
    return array.ctypes.data_as(_Ints)


def _by_columns(indptr: _Array, indices: _Array, shape: tuple[int, int]) -> tuple[_Matrix, Any]:
    """Return CSparse's matrix, and the arrays that it points to, which must be kept."""
    kept = [np.ascontiguousarray(array, np.int32) for array in (indptr, indices)]
    pointers = [_pointer(array) for array in kept]
    return _Matrix(max(indices.size, 1), *shape, *pointers, None, -1), kept


def dmperm(graph: BipartiteGraph, seed: int = 0) -> Coarse:
    """Decompose a graph by ``cs_dmperm``; only its own time is measured.

    Seed 0 takes the columns in order, −1 in reverse, others in random order.
    """
    library = _library()
    by_columns = graph.T  # CSparse's matrices are compressed by columns
    matrix, _keep = _by_columns(by_columns.indptr, by_columns.indices, graph.shape)
    start = time.perf_counter()
    result = library.cs_di_dmperm(ctypes.byref(matrix), seed)
    seconds = time.perf_counter() - start
    if not result:
        raise MemoryError("cs_dmperm returned nothing: out of memory")
    found = result.contents
    coarse = Coarse(tuple(found.rr), tuple(found.cc), int(found.nb), seconds)
    library.cs_di_dfree(result)
    return coarse
