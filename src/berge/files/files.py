"""Files as readers and writers see them: suffixes, compression, whole-or-nothing writes, sizes."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from ..errors import FormatError
from ..graphs.memory import available

__all__ = [
    "COMPRESSIONS",
    "check_memory",
    "damage_reported",
    "open_bytes",
    "plain_size",
    "replacing",
    "split_suffix",
]

PathName = str | os.PathLike[str]

COMPRESSIONS = (".gz", ".bz2", ".xz")


def split_suffix(path: PathName) -> tuple[str, str]:
    """Return the suffix that names the format and the one that names the compression.

    Examples
    --------
    >>> from berge.files.files import split_suffix
    >>> split_suffix("web.MTX.gz"), split_suffix("web.mtx")
    (('.mtx', '.gz'), ('.mtx', ''))
    """
    name = Path(path)
    compression = name.suffix.lower()
    if compression not in COMPRESSIONS:
        return compression, ""
    return name.with_suffix("").suffix.lower(), compression


def open_bytes(path: PathName) -> IO[bytes]:
    """Open a file for reading; what its suffix says is compressed is decompressed on the way."""
    compression = split_suffix(path)[1]
    if compression == ".gz":
        import gzip

        return cast("IO[bytes]", gzip.open(path, "rb"))
    if compression == ".bz2":
        import bz2

        return bz2.open(path, "rb")
    if compression == ".xz":
        import lzma

        return lzma.open(path, "rb")
    return cast("IO[bytes]", open(path, "rb", buffering=0))


@contextmanager
def damage_reported(path: PathName) -> Iterator[None]:
    """Turn what reading raises over damaged compressed data into a `FormatError`."""
    damage: tuple[type[Exception], ...] = ()
    compression = split_suffix(path)[1]
    if compression == ".gz":
        import gzip
        import zlib

        damage = EOFError, zlib.error, gzip.BadGzipFile
    elif compression == ".bz2":
        damage = EOFError, OSError
    elif compression == ".xz":
        import lzma

        damage = EOFError, lzma.LZMAError
    try:
        yield
    except damage as error:
        # An error of the system has a number, one of the decompressor has none.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(f"compressed data is damaged: {error}", path) from error


def plain_size(path: PathName) -> int | None:
    """Return the bytes of text in a file where they can be known without reading it."""
    status = os.stat(path)
    if split_suffix(path)[1] or not stat.S_ISREG(status.st_mode):
        return None
    return status.st_size


@contextmanager
def replacing(path: PathName) -> Iterator[IO[bytes]]:
    """Write to a temporary file beside `path` that takes its name once all is written.

    If anything goes wrong the file that was there stays as it was. Devices and pipes are written
    to directly. What the suffix says is to be compressed is compressed on the way.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "is a folder, cannot write a file here", target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "no such folder", folder)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as raw, _compressing(raw, path) as file:
            yield file
        return
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        with open(temporary, "xb") as raw, _compressing(raw, path) as file:
            yield file
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


@contextmanager
def _compressing(raw: IO[bytes], path: PathName) -> Iterator[IO[bytes]]:
    compression = split_suffix(path)[1]
    if compression == ".gz":
        import gzip

        # No name and no time inside: the same graph gives the same bytes.
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as zipped:
            yield cast("IO[bytes]", zipped)
    elif compression == ".bz2":
        import bz2

        with bz2.BZ2File(raw, "wb") as zipped_2:
            yield zipped_2
    elif compression == ".xz":
        import lzma

        with lzma.LZMAFile(raw, "wb") as zipped_x:
            yield zipped_x
    else:
        yield raw


def check_memory(shape: tuple[int, int], path: PathName, line: int | None = None) -> None:
    """Refuse a shape whose vertices alone, at 4 bytes each, are more than the memory there is."""
    memory = available()
    if 4 * sum(shape) > memory:
        raise FormatError(
            f"{shape[0]:,} rows and {shape[1]:,} columns do not fit in memory "
            f"({memory / 2**30:.0f} GiB)",
            path,
            line,
        )
