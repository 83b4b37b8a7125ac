"""Arrays out of NumPy archives (.npz) that are not trusted.

An archive is a zip file of .npy files. Before an array is allocated, what its header claims is
compared with the size of its member (`npy`), that with what so many compressed bytes can hold, and
with the memory that there is.
"""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NoReturn

import numpy.typing as npt

from ..errors import FormatError
from ..wording import in_bytes
from .files import PathName
from .limits import Limits, more
from .npy import Header, read_array, read_header

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,  # what `npy` raises, and seeking to a place before the file
    OverflowError,
    NotImplementedError,
    RuntimeError,  # a member that asks for a password
)
# No byte stands for more than so many.
_LARGEST_RATIO = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}


class Archive:
    """An .npz file whose arrays are read one by one."""

    def __init__(self, path: PathName, limits: Limits | None = None):
        self.path = path
        self._memory = (limits or Limits()).now().memory or 0
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
            return self._header(name, file).shape

    def array(self, name: str, kinds: str, ndim: int) -> npt.NDArray[Any]:
        """Read an array that must be of one of the kinds (as in ``dtype.kind``) and dimension."""
        with self._open(name) as file:
            header = self._header(name, file)
            if header.dtype.kind not in kinds or len(header.shape) != ndim:
                self._fail(f"{name!r} must not be an array of {header.dtype}, shape {header.shape}")
            if header.nbytes > self._memory:
                takes, there = in_bytes(header.nbytes), in_bytes(self._memory)
                self._fail(f"{name!r} takes {takes}, there are {there}; {more('memory')}")
            with self._reporting(f"{name!r} is damaged"):
                return read_array(file, header)

    def text(self, name: str) -> str:
        """Read an array that is one text."""
        content = self.array(name, "SU", 0)
        with self._reporting(f"{name!r} is damaged"):  # what is no text is a ValueError
            bare = content.tobytes().decode("utf-32" if content.dtype.kind == "U" else "ascii")
        return bare.rstrip("\0")

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

    def _header(self, name: str, file: IO[bytes]) -> Header:
        with self._reporting(f"{name!r} is damaged"):
            return read_header(file, self._members[name].file_size)

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
