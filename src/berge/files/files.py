"""Files as readers and writers see them: suffixes, compression, whole-or-nothing writes, sizes."""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from .aside import PathName as PathName
from .aside import aside, sync_folder
from .limits import Limits, more
from .remote import is_url, name_of, plain, sent

COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}  # suffix -> module
_FREE = 1 << 24  # bytes of text that any compressed file may hold
_STEP = 1 << 22  # bytes of text to decompress at a time


def split_suffix(path: PathName) -> tuple[str, str]:
    """Return the suffix that names the format and the one that names the compression.

    Examples
    --------
    >>> from berge.files.files import split_suffix
    >>> split_suffix("web.MTX.gz"), split_suffix("web.mtx")
    (('.mtx', '.gz'), ('.mtx', ''))
    """
    name = Path(name_of(path) if is_url(path) else path)
    compression = name.suffix.lower()
    if compression not in COMPRESSIONS:
        return compression, ""
    return name.with_suffix("").suffix.lower(), compression


def _codec(path: PathName) -> Any:
    """Return the module that compresses what the suffix says is compressed, else None."""
    compression = split_suffix(path)[1]
    return import_module(COMPRESSIONS[compression]) if compression else None


def open_bytes(path: PathName, limits: Limits | None = None) -> IO[bytes]:
    """Open a file for reading; what its suffix says is compressed is decompressed on the way."""
    codec = _codec(path)
    if codec is None:
        return cast("IO[bytes]", open(path, "rb", buffering=0))
    return cast("IO[bytes]", _Decompressed(path, codec, limits or Limits()))


class _CountedFile(io.FileIO):
    """A file that knows how much of it was read."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """Read and count."""
        content = super().read(-1 if size is None else size)
        self.taken += len(content)
        return content


class _TooMuchTextError(Exception):
    """A compressed file holds more than its limit."""


class _Decompressed(io.RawIOBase):
    """The text of a compressed file, a bounded step at a time, as far as the limit permits."""

    def __init__(self, path: PathName, codec: Any, limits: Limits):
        self._ratio = limits.ratio
        self._raw = _CountedFile(path)
        self._text = codec.open(self._raw)

    def readable(self) -> bool:
        """Tell that it is for reading."""
        return True

    def readinto(self, room: Any, /) -> int:
        """Decompress the next bytes."""
        count: int = self._text.readinto(memoryview(room)[:_STEP])
        taken, given = self._raw.taken, self._text.tell()
        if given > _FREE + self._ratio * taken:
            raise _TooMuchTextError(
                f"{taken:,} compressed bytes hold more than {given:,} of text; {more('ratio')}"
            )
        return count

    def tell(self) -> int:
        """Return how much text was read."""
        return int(self._text.tell())

    def seek(self, place: int, whence: int = os.SEEK_SET, /) -> int:
        """Go forward to a place."""
        if whence != os.SEEK_SET or place < self.tell():
            raise io.UnsupportedOperation("compressed text is read forward")
        while self.tell() < place and self.read(min(place - self.tell(), _STEP)):
            pass
        return self.tell()

    def close(self) -> None:
        """Close the file."""
        self._raw.close()
        super().close()


@contextmanager
def damage_reported(path: PathName, line: int | None = None) -> Iterator[None]:
    """Turn what reading raises over damaged compressed data into a `FormatError`."""
    codec = _codec(path)
    if codec is None:
        yield
        return
    import zlib

    try:
        yield
    except (EOFError, OSError, zlib.error, getattr(codec, "LZMAError", EOFError)) as error:
        # An error of the system has a number, one of the decompressor has none.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(f"compressed data is damaged: {error}", path, line) from error
    except _TooMuchTextError as error:
        raise FormatError(str(error), path, line) from None
    except MemoryError:  # the dictionary of xz has up to 4 GB
        raise FormatError("there is no memory to decompress it", path, line) from None


def plain_size(path: PathName) -> int | None:
    """Return the bytes of text in a file where they can be known without reading it."""
    status = os.stat(path)
    if split_suffix(path)[1] or not stat.S_ISREG(status.st_mode):
        return None
    return status.st_size


@contextmanager
def replacing(path: PathName, *, sync_name: bool = True) -> Iterator[IO[bytes]]:
    """Write to a file aside that takes the name of `path` once all is written, and on the disk.

    If anything goes wrong the file that was there stays as it was. Devices and pipes are written
    to directly. What the suffix says is to be compressed is compressed on the way. What goes to a
    URL is sent when all of it is written. Not to wait for the name is for files whose names wait
    for another one.
    """
    path = plain(path)
    if is_url(path):
        with sent(os.fspath(path)) as copy, replacing(copy) as file:
            yield file
        return
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "is a folder, cannot write a file here", target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "no such folder", folder)
    with naming(path):
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as raw, _compressing(raw, path) as file:
                yield file
            return
        with aside(target, lambda new: open(new, "xb").close()) as temporary:
            with open(temporary, "wb") as raw:
                with _compressing(raw, path) as file, interrupts_first():
                    yield file
                raw.flush()
                os.fsync(raw.fileno())
            if os.path.exists(target):
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
            if sync_name:
                sync_folder(folder)


@contextmanager
def interrupts_first() -> Iterator[None]:
    """Raise Ctrl-C and not what zipfile or a lock says when it is interrupted half-way."""
    try:
        yield
    except (ValueError, RuntimeError) as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise


def write_array(file: IO[bytes], array: npt.NDArray[Any]) -> None:
    """Write the numbers of an array to a file without a buffer, or raise what the system says.

    (``ndarray.tofile`` does not say why it could not.)
    """
    content: Any = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
    while len(content):
        content = content[file.write(content) :]


@contextmanager
def naming(path: PathName) -> Iterator[None]:
    """Say in errors of the system which file they are of, where they do not: a full disk's."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = os.fspath(path)
        raise


@contextmanager
def _compressing(raw: IO[bytes], path: PathName) -> Iterator[IO[bytes]]:
    codec = _codec(path)
    if codec is None:
        yield raw
        return
    # No name and no time inside: the same graph gives the same bytes.
    as_gzip = codec.__name__ == "gzip"
    with codec.GzipFile("", "wb", 6, raw, mtime=0) if as_gzip else codec.open(raw, "wb") as file:
        yield file
