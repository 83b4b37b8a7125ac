"""What is read from elsewhere: URLs, patterns and open files, as files of this machine.

``http://`` and ``https://`` are read by `download`, with no other package. All else (``s3://``,
``gs://``, ``memory://``, …) is fsspec's (``pip install "berge[remote]"``), with the credentials
that it finds. ``file://`` is the path in it.

A file is copied to a temporary folder first (`here`), and its length compared with what was
announced; a ``.berge`` folder likewise, whose checksums are compared when it is read. Of Parquet
files the parts that are asked for are read where they lie (`opened`), and parts of a graph on a
cluster read their own rows of a folder (`slice_of`). A server that says that the file has changed
meanwhile is believed: that is an error.

What is written goes to a file of this machine first, and is sent when all of it is there (`sent`).
Stores of objects show an object when all of it has arrived; of a folder, ``meta.json`` comes last.

Messages name URLs without passwords and signatures.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from glob import glob, has_magic
from pathlib import Path
from typing import IO, Any, TypeVar, cast
from urllib.parse import urlsplit

from ..errors import BergeError, FetchError, FormatError, NotFoundError, OptionError
from ..wording import in_bytes
from .aside import PathName
from .limits import Limits, more

Source = PathName | IO[Any]
_Reader = TypeVar("_Reader", bound=Callable[..., Any])

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")
_CHUNK = 1 << 22
PARTS = ("meta.json", "indptr.npy", "indices.npy")  # of a .berge folder; the first is small
_MARKS = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz"}  # of compressed files
# Where an object is there when all of it is.
_OBJECTS = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "memory", "r2"}


def is_url(source: Any) -> bool:
    """Tell whether a source is a URL, or one of fsspec's chains of them.

    Examples
    --------
    >>> from berge.files.remote import is_url
    >>> [is_url(name) for name in ("s3://bucket/a.mtx", "a.mtx", "C:/a.mtx")]
    [True, False, False]
    """
    return isinstance(source, str) and _URL.match(source) is not None


def is_open_file(source: Any) -> bool:
    """Tell whether a source is an open file, or anything with `read` that is no path."""
    return hasattr(source, "read") and not isinstance(source, (str, os.PathLike))


def shown(source: Any) -> str:
    """Return how messages call a source."""
    if is_open_file(source):
        return _name_of_open(source) or "the open file"
    text = os.fspath(source)
    if not is_url(text):
        return str(text)
    text = re.sub(r"://[^/@]*@", "://", text)
    return re.sub(r"\?.*", "?…", text) if _is_http(text) else text


def name_of(source: Any) -> str:
    """Return the last name in a path or URL, whose suffix tells the format."""
    text = os.fspath(source)
    if _is_http(text):
        text = urlsplit(text).path
    return text.partition("::")[0].rstrip("/").rpartition("/")[2] or "file"


def _name_of_open(source: Any) -> str:
    """Return the name of an open file, Python's or fsspec's; empty if it has none."""
    names = (getattr(source, "name", None), getattr(source, "path", None))
    return next((name for name in names if isinstance(name, str)), "")


def plain(source: Any) -> Any:
    """Return the path in a ``file://`` URL; anything else as it is."""
    if is_url(source) and source.lower().startswith("file://"):
        from urllib.request import url2pathname

        return url2pathname(source[len("file://") :].removeprefix("localhost"))
    return source


class Copy(str):
    """The path of a copy in a temporary folder, which goes when nobody holds this."""

    @classmethod
    def at(cls, name: str) -> Copy:
        """Return a path of that name in a new folder."""
        folder = tempfile.mkdtemp(prefix="berge-")
        copy = cls(os.path.join(folder, name))
        weakref.finalize(copy, shutil.rmtree, folder, True)
        return copy


@contextmanager
def here(
    source: Source, limits: Limits | None = None, form: str | None = None
) -> Iterator[PathName]:
    """Yield a path of this machine with what a source has; errors name the source.

    A URL of Parquet files is yielded as it is: their reader opens it. So is a pattern that fits
    Parquet files, or none. Else a pattern must fit one file.
    """
    source = plain(source)
    if is_open_file(source):
        place: Any = copied_open(cast("IO[Any]", source), limits, form)
    elif not is_url(source):
        place = _one_of(cast("PathName", source))
    elif reads_parts(source, form):
        place = source
    else:
        place = copied(cast("str", source), limits)
    if place is source:
        yield cast("PathName", source)
        return
    with named(place, shown(source)):
        yield place


def reads_parts(source: Any, form: str | None = None) -> bool:
    """Tell whether a URL is one of files that are read in parts where they lie: of Parquet."""
    suffixes = (".parquet", ".parq", ".pq", ".arrow", ".feather")
    return name_of(source).lower().endswith(suffixes) if form is None else form == "parquet"


@contextmanager
def named(place: str, name: str) -> Iterator[None]:
    """Have errors call a place by another name."""
    try:
        yield
    except FormatError as error:
        raise error.at(error.path.replace(str(place), name)) from error.__cause__
    except OSError as error:
        if isinstance(error.filename, str):
            error.filename = error.filename.replace(str(place), name)
        raise


def _one_of(path: PathName) -> PathName:
    """Return the only file that a pattern fits; what is no pattern, or of Parquet, as it is."""
    text = os.fspath(path)
    if not has_magic(text) or os.path.lexists(text) or reads_parts(text):
        return path
    return _only(path, sorted(glob(text)))


def _only(pattern: PathName, found: list[str]) -> str:
    if not found:
        raise FileNotFoundError(f"no file is called {shown(pattern)}")
    if len(found) > 1:
        raise FormatError(
            f"{len(found)} files are called so, each a graph of its own; patterns of several are "
            "for Parquet and edge lists",
            shown(pattern),
        )
    return found[0]


def anywhere(function: _Reader) -> _Reader:
    """Let a function that reads a path read URLs and open files too."""

    @wraps(function)
    def read(path: Source, *args: Any, **settings: Any) -> Any:
        with here(path) as place:
            return function(place, *args, **settings)

    return cast("_Reader", read)


def copied(url: str, limits: Limits | None = None, names: Sequence[str] = PARTS) -> str:
    """Copy a file or a ``.berge`` folder to this machine; of a folder the files of these names."""
    url = _only(url, files) if not (files := expand(url)) or len(files) > 1 else files[0]
    copy = Copy.at(name_of(url))
    room = _Room(url, copy, limits)
    if not copy.lower().endswith(".berge"):
        _copy(url, Path(copy), room)
        return copy
    os.mkdir(copy)
    for name in names:
        _copy(part_of(url, name), Path(copy, name), room)
    return copy


def part_of(url: str, name: str) -> str:
    """Return the URL of a file in a folder."""
    return f"{url.rstrip('/')}/{name}"


class _Room:
    """Counts the bytes that arrive for one source, and refuses more than there may be."""

    def __init__(self, url: str, place: str, limits: Limits | None):
        self.url, self.before = url, 0
        self.most = (limits or Limits()).download
        self.free = shutil.disk_usage(os.path.dirname(place)).free

    def __call__(self, have: int, total: int | None = None) -> None:
        wanted = self.before + max(have, total or 0)
        if self.most is not None and wanted > self.most:
            text = f"{in_bytes(wanted)}, and {in_bytes(self.most)} may be downloaded; "
            raise FetchError(f"{shown(self.url)} has {text}{more('download')}")
        if wanted > self.free:
            text = f"{in_bytes(wanted)}, and the disk has {in_bytes(self.free)} left for a copy"
            raise FetchError(f"{shown(self.url)} has {text}; TMPDIR says where it is made")


def _copy(url: str, target: Path, room: _Room) -> None:
    """Copy one file."""
    if _is_http(url):
        from .download import download

        download(url, target, room, shown(url))
    else:
        with reported(url):
            system, path = _system(url)
            size = system.info(path).get("size")
            room(0, size)
            have = 0
            with system.open(path, "rb") as source, open(target, "wb") as file:
                while piece := source.read(_CHUNK):
                    have += len(piece)
                    room(have)
                    file.write(piece)
            if size is not None and have != size:
                raise FetchError(f"{shown(url)} has {size:,} bytes, and {have:,} of them arrived")
    room.before += target.stat().st_size


def copied_open(source: IO[Any], limits: Limits | None = None, form: str | None = None) -> str:
    """Copy what an open file still has, under a name that tells the compression of its content."""
    name = os.path.basename(_name_of_open(source)) or (f"file.{form}" if form else "file")
    piece = _bytes(source.read(_CHUNK))
    suffix = compression_of(piece)
    bare, last = os.path.splitext(name)
    name = (bare if last.lower() in _MARKS.values() else name) + suffix
    copy, have = Copy.at(name), 0
    room = _Room(shown(source), copy, limits)
    with open(copy, "wb") as file:
        while piece:
            have += len(piece)
            room(have)
            file.write(piece)
            piece = _bytes(source.read(_CHUNK))
    return copy


def compression_of(first: bytes) -> str:
    """Return the suffix of what is compressed, by its first six bytes; empty if it is not."""
    return next((suffix for mark, suffix in _MARKS.items() if first.startswith(mark)), "")


def _bytes(piece: Any) -> bytes:
    return piece.encode() if isinstance(piece, str) else bytes(piece or b"")


def expand(url: str) -> list[str]:
    """Return the URLs that a pattern fits, in order; of one that is no pattern, itself."""
    if _is_http(url) or not has_magic(url):
        return [url]
    with reported(url):
        system, pattern = _system(url)
        return [system.unstrip_protocol(path) for path in sorted(system.glob(pattern))]


def listed(url: str) -> list[str]:
    """Return the URLs of the files in a folder; none if it is no folder."""
    if _is_http(url):
        return []
    with reported(url):
        system, path = _system(url)
        if not system.isdir(path):
            return []
        return [system.unstrip_protocol(each) for each in sorted(system.ls(path, detail=False))]


def check_sizes(urls: Sequence[str], limits: Limits | None) -> None:
    """Refuse files of which parts are to be read if together they are above a limit."""
    if limits is not None and limits.download is not None:
        size = sum(map(size_of, urls))
        if size > limits.download:
            text = f"{in_bytes(size)}, and {in_bytes(limits.download)} may be downloaded; "
            raise FetchError(f"{shown(urls[0])} has {text}{more('download')}")


def exists(url: str) -> bool:
    """Tell whether there is a file or a folder at a URL."""
    with reported(url):
        system, path = _system(url)
        return bool(system.exists(path))


def opened(url: str) -> IO[bytes]:
    """Open a file where it lies, to read parts of it."""
    if _is_http(url):
        try:
            return io.BufferedReader(_HttpFile(url), _CHUNK)
        except _NoPartsError:
            copy = copied(url)
            handle = os.open(copy, os.O_RDONLY)
            file = os.fdopen(handle, "rb", closefd=False)
            weakref.finalize(file, _close, handle, copy)
            return file
    with reported(url):
        system, path = _system(url)
        return cast("IO[bytes]", system.open(path, "rb"))


def _close(handle: int, copy: str) -> None:
    """Close a copy, which goes with that."""
    os.close(handle)


def size_of(url: str) -> int:
    """Return the bytes that a file has."""
    with opened(url) as file, reported(url):
        return file.seek(0, os.SEEK_END)


def slice_of(url: str, low: int, high: int) -> bytes:
    """Read the bytes from `low` to `high` of a file."""
    with opened(url) as file, reported(url):
        file.seek(low)
        content = file.read(high - low)
    if len(content) != high - low:
        raise FormatError("the file has become shorter", shown(url))
    return content


@contextmanager
def sent(url: str) -> Iterator[str]:
    """Yield a path of this machine for a file or a folder, which is sent to a URL in the end.

    If anything goes wrong, what was there stays as it was. A folder that is there is refused.
    """
    if _is_http(url):
        raise OptionError(f"{shown(url)}: servers of http are read from, not written to")
    copy = Copy.at(name_of(url))
    with named(copy, shown(url)):
        yield copy
    if not os.path.exists(copy):
        return
    with reported(url):
        system, path = _system(url)
        if not os.path.isdir(copy):
            _put(system, copy, path)
            return
        if system.exists(path):
            raise FetchError(f"{shown(url)} is there already: folders elsewhere are not replaced")
        system.makedirs(path, exist_ok=True)
        names = sorted(os.listdir(copy), key=lambda name: name == "meta.json")
        for name in names:
            _put(system, os.path.join(copy, name), part_of(path, name))


def _put(system: Any, copy: str, path: str) -> None:
    """Send one file, under another name first where it would be seen to arrive."""
    protocol = system.protocol if isinstance(system.protocol, str) else system.protocol[0]
    if protocol in _OBJECTS:
        system.put_file(copy, path)
        return
    folder, _, name = path.rpartition("/")
    aside = f"{folder}/.{name}.berge-tmp"
    system.put_file(copy, aside)
    system.mv(aside, path)


def _is_http(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _system(url: str) -> tuple[Any, str]:
    """Return fsspec's file system of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise OptionError(f'{shown(url)} needs fsspec: pip install "berge[remote]"') from None
    try:
        system, path = url_to_fs(url, use_listings_cache=False)  # what is listed may change
    except ImportError as error:
        raise OptionError(f"{shown(url)} needs another package: {error}") from None
    return system, path


@contextmanager
def reported(url: str) -> Iterator[None]:
    """Turn whatever a store raises into a `FetchError` that names the URL."""
    try:
        yield
    except BergeError:
        raise
    except FileNotFoundError as error:
        raise NotFoundError(f"not found: {shown(url)}") from error
    except Exception as error:  # every store has errors of its own
        said = " ".join(str(error).split()) or type(error).__name__
        raise FetchError(f"{shown(url)}: {said}") from error


class _NoPartsError(Exception):
    """The server sends whole files only."""


class _HttpFile(io.RawIOBase):
    """A file on a server of HTTP, read by ranges of one version."""

    def __init__(self, url: str):
        self.url, self._place, self._version = url, 0, ""
        self._size = 0
        self._get(0, 1)

    def readable(self) -> bool:
        """Tell that it is for reading."""
        return True

    def seekable(self) -> bool:
        """Tell that any part can be read."""
        return True

    def tell(self) -> int:
        """Return the place that is read next."""
        return self._place

    def seek(self, place: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place."""
        self._place = place + {os.SEEK_SET: 0, os.SEEK_CUR: self._place}.get(whence, self._size)
        return self._place

    def readinto(self, room: Any, /) -> int:
        """Read the next bytes."""
        high = min(self._place + len(room), self._size)
        if high <= self._place:
            return 0
        content = self._get(self._place, high)
        room[: len(content)] = content
        self._place += len(content)
        return len(content)

    def _get(self, low: int, high: int) -> bytes:
        import http.client
        import urllib.error
        import urllib.request

        from .download import TIMEOUT, version_of

        headers = {"User-Agent": "berge", "Range": f"bytes={low}-{high - 1}"}
        request = urllib.request.Request(self.url, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                found = re.match(r"bytes (\d+)-\d+/(\d+)$", response.headers["Content-Range"] or "")
                if response.status != 206 or found is None or int(found[1]) != low:
                    raise _NoPartsError
                version = version_of(response.headers)
                content = cast("bytes", response.read(high - low))
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 416:  # of an empty file
                raise _NoPartsError from None
            if error.code in (404, 410):
                raise NotFoundError(f"not found: {shown(self.url)}") from None
            raise FetchError(
                f"the server answered {error.code} {error.reason} to {shown(self.url)}"
            ) from None
        except (http.client.HTTPException, OSError) as error:
            raise FetchError(f"{shown(self.url)}: {error}") from error
        if self._size and (self._size, self._version) != (int(found[2]), version):
            raise FormatError("was changed while it was read", shown(self.url))
        self._size, self._version = int(found[2]), version
        return content
