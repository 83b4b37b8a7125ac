"""Arrays out of NumPy archives (.npz) that are not trusted.

An archive is a zip file of .npy files. Before an array is allocated, what its header claims is
compared with the size of its member, and that with what so many compressed bytes can hold. Arrays
of Python objects, which would run code when loaded, are refused.
"""

from __future__ import annotations

import errno
import math
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NoReturn

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from .files import PathName

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,  # what numpy raises, and seeking to a place before the file
    OverflowError,
    NotImplementedError,
    RuntimeError,  # a member that asks for a password
)
# No byte stands for more than so many.
_LARGEST_RATIO = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_CHUNK = 1 << 22


class Archive:
    """An .npz file whose arrays are read one by one."""

    def __init__(self, path: PathName):
        self.path = path
        with self._reporting("not an npz file, or a damaged one"):
            self._zip = zipfile.ZipFile(path)
        files = [info for info in self._zip.infolist() if info.filename.endswith(".npy")]
        self._members = {info.filename.removesuffix(".npy"): info for info in files}

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array without reading it."""
        with self._open(name) as file:
            return self._header(name, file)[1]

    def array(self, name: str, kinds: str, ndim: int) -> npt.NDArray[Any]:
        """Read an array that must be of one of the kinds (as in ``dtype.kind``) and dimension."""
        with self._open(name) as file:
            dtype, shape, in_columns = self._header(name, file)
            if dtype.kind not in kinds or len(shape) != ndim:
                self._fail(f"{name!r} must not be an array of {dtype} of shape {shape}")
            array = np.empty(shape, dtype, order="F" if in_columns else "C")
            content = array.reshape(-1, order="A").view(np.uint8)
            with self._reporting(f"{name!r} is damaged"):
                for start in range(0, content.size, _CHUNK):
                    room = content[start : start + _CHUNK]
                    # Too few bytes do not fit and raise a ValueError.
                    room[:] = np.frombuffer(file.read(room.size), np.uint8)
        return array.astype(dtype.newbyteorder("="), copy=False)

    def _open(self, name: str) -> IO[bytes]:
        if name not in self._members:
            self._fail(f"no array {name!r}")
        info = self._members[name]
        if info.compress_type not in _LARGEST_RATIO:
            self._fail(f"{name!r} is compressed in a way that npz files are not")
        if info.file_size > info.compress_size * _LARGEST_RATIO[info.compress_type]:
            self._fail(
                f"{name!r} claims {info.file_size} bytes, "
                f"too many for its {info.compress_size} compressed ones"
            )
        with self._reporting(f"{name!r} is damaged"):
            return self._zip.open(info)

    def _header(self, name: str, file: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
        with self._reporting(f"{name!r} is damaged"):
            version = np.lib.format.read_magic(file)
            if version not in _HEADERS:
                raise ValueError(f"version {version} of the npy format")
            shape, in_columns, dtype = _HEADERS[version](file)
        if dtype.hasobject:
            self._fail(f"{name!r} holds Python objects, which are not loaded")
        claimed = dtype.itemsize * math.prod(shape)
        there = self._members[name].file_size - file.tell()
        if dtype.itemsize == 0 or min(shape, default=0) < 0 or claimed != there:
            self._fail(f"{name!r} claims shape {shape} of {dtype}, but has {there} bytes")
        return dtype, shape, in_columns

    @contextmanager
    def _reporting(self, message: str) -> Iterator[None]:
        try:
            yield
        except (*_DAMAGE, OSError) as error:
            # EINVAL is what seeking to an impossible place gives.
            if isinstance(error, OSError) and error.errno != errno.EINVAL:
                raise
            raise FormatError(f"{message}: {error}", self.path) from error

    def _fail(self, message: str) -> NoReturn:
        raise FormatError(message, self.path)
