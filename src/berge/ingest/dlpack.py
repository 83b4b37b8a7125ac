"""Arrays on a CUDA device that speak DLPack only, made readable by ``__cuda_array_interface__``.

A DLPack capsule holds a C structure; only the fields that one-dimensional index arrays need are
read. The capsule is kept, unconsumed: it frees what it holds when nobody needs it any more.
"""

from __future__ import annotations

import ctypes
from typing import Any

CUDA, CUDA_MANAGED = 2, 13  # kinds of device
LEGACY_STREAM = 1  # it waits for the producer's work, and `CudaDevice.upload` for it
KINDS = {0: "i", 1: "u", 2: "f"}


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Readable:
    """An array of another library as ``__cuda_array_interface__`` describes it."""

    def __init__(self, owner: Any, interface: dict[str, Any]):
        self.owner = owner
        self.__cuda_array_interface__ = interface


def is_on_cuda(array: Any) -> bool:
    """Whether an array says by DLPack that it lies on a CUDA device."""
    where = getattr(array, "__dlpack_device__", None)
    return where is not None and int(where()[0]) in (CUDA, CUDA_MANAGED)


def from_dlpack(array: Any, **options: Any) -> Any:
    """Describe an array on a CUDA device by ``__cuda_array_interface__``, without a copy."""
    capsule = array.__dlpack__(**(options or {"stream": LEGACY_STREAM}))
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer(capsule, b"dltensor"))
    size = tensor.bits * tensor.lanes // 8
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = (
        tuple(tensor.strides[i] * size for i in range(tensor.ndim)) if tensor.strides else None
    )
    return _Readable(
        capsule,
        {
            "shape": shape,
            "strides": strides,
            "typestr": f"<{KINDS.get(tensor.code, 'V')}{size}",
            "data": ((tensor.data or 0) + tensor.byte_offset, False),
            "version": 3,
        },
    )
