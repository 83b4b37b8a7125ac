"""Matrices of the SuiteSparse Matrix Collection, downloaded once and kept.

Reference: Davis, Hu, "The University of Florida sparse matrix collection", ACM Transactions on
Mathematical Software 38, 2011.
"""

from __future__ import annotations

import errno
import gzip
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlsplit

from ..errors import FetchError, FormatError, NotFoundError
from .download import Progress, download
from .files import PathName, replacing

HOME = "https://sparse.tamu.edu"
_CHUNK = 1 << 20


def fetch(
    name: str,
    *,
    cache: PathName | None = None,
    url: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """Return the path of a matrix of the collection, after downloading it if it is not there.

    A download that broke off goes on where it stopped. What has arrived is checked: the archive's
    checksum, the Matrix Market header and every entry.

    Parameters
    ----------
    name
        Group and name, such as ``"HB/west0479"``.
    cache
        Folder to keep it in; by default ``$BERGE_CACHE``, else ``$XDG_CACHE_HOME/berge``, else
        ``~/.cache/berge``.
    url
        Where the collection is; by default ``$BERGE_SUITESPARSE_URL``, else its home.
    progress
        Called with the bytes that have arrived and the bytes there are, None if not known.

    Raises
    ------
    FetchError
        Says what went wrong: the name, the network, the server, the disk, or what arrived.

    Examples
    --------
    >>> import berge
    >>> from berge.files import fetch
    >>> berge.read(fetch("HB/west0479"))  # doctest: +SKIP
    BipartiteGraph(479 × 479, 1,910 edges)
    """
    match = re.fullmatch(r"([\w+-][\w.+-]*)/([\w+-][\w.+-]*)", name, re.ASCII)
    if match is None:
        raise FetchError(f"a matrix is named GROUP/NAME, such as HB/west0479, not {name!r}")
    group, matrix = match.groups()
    folder = cache_folder(cache) / "suitesparse" / group
    target, archive = folder / f"{matrix}.mtx", folder / f"{matrix}.tar.gz"
    if target.is_file():
        archive.unlink(missing_ok=True)  # which a call that was killed has left
        return target
    base = (url or os.environ.get("BERGE_SUITESPARSE_URL") or HOME).rstrip("/")
    if urlsplit(base).scheme not in ("http", "https") or not urlsplit(base).netloc:
        raise FetchError(f"the address must begin with http:// or https://, not {base!r}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            if not target.is_file():
                if not archive.is_file():
                    download(f"{base}/MM/{quote(group)}/{quote(matrix)}.tar.gz", archive, progress)
                _extract(archive, matrix, target)
                archive.unlink(missing_ok=True)
    except NotFoundError as error:
        raise FetchError(f"no such matrix: {name} ({error})") from error
    except FetchError:
        raise
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or error
        raise FetchError(f"cannot write to {folder}: {reason}") from error
    return target


def cache_folder(cache: PathName | None = None) -> Path:
    """Return the folder that downloads are kept in."""
    chosen = cache if cache is not None else os.environ.get("BERGE_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "berge")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from downloading to the same folder, where the system can do that."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _extract(archive: Path, matrix: str, target: Path) -> None:
    """Take NAME/NAME.mtx out of the archive, check it, and put it in its place."""
    from .matrix_market import check

    try:
        with gzip.open(archive) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
            source, size = _member(tar, f"{matrix}/{matrix}.mtx")
            free = shutil.disk_usage(target.parent).free
            if size > free:
                raise FetchError(f"{target} takes {size:,} bytes, but the disk has {free:,} left")
            with replacing(target) as file:
                shutil.copyfileobj(source, file, _CHUNK)
                file.flush()
                check(file.name)
                while stream.read(_CHUNK):  # to the end, where the checksum is compared
                    pass
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        archive.unlink()
        wrong = f"what arrived is not a sound tar.gz archive ({error}); it was removed"
        raise FetchError(wrong) from error
    except FormatError as error:
        archive.unlink()
        reason = str(error).replace(error.path, target.name)
        raise FetchError(f"what arrived is not a sound matrix ({reason}); removed") from error


def _member(tar: tarfile.TarFile, wanted: str) -> tuple[IO[bytes], int]:
    """Return the content and the size of a regular file in an archive."""
    others = []
    for member in tar:
        if member.name.removeprefix("./") == wanted:
            content = tar.extractfile(member)
            if content is None or member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
                raise tarfile.ReadError(f"{wanted} is not a regular file")
            return content, member.size
        others.append(member.name)
    raise tarfile.ReadError(f"no {wanted} in it, but {', '.join(others[:5]) or 'nothing'}")
