"""Downloads over HTTP that go on where they broke off.

The bytes that have arrived are in ``NAME.part``, the server's mark of the version they belong to
(ETag or Last-Modified) in ``NAME.part.version``. The next try asks for the rest, on condition that
the version is still the same. A server sends everything if it cannot do that, or if the file has
changed.
"""

from __future__ import annotations

import http.client
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from ..errors import FetchError, NotFoundError

Progress = Callable[[int, int | None], object]

TRIES = 5
PAUSE = 0.5  # seconds before the second try; doubled each time
TIMEOUT = 30.0
_CHUNK = 1 << 18


class _BrokenOffError(Exception):
    """A try that may be repeated; `reached` tells whether there was a connection at all."""

    def __init__(self, reason: object, *, reached: bool = True):
        super().__init__(str(reason) or type(reason).__name__)
        self.reached = reached


def download(
    url: str, target: Path, progress: Progress | None = None, name: str | None = None
) -> None:
    """Download to a file, which appears under its name when it is complete.

    A `name` is what messages call a URL whose target is not kept.

    Raises
    ------
    FetchError
        The server cannot be reached, does not have it, or breaks off again and again.
    OSError
        The file cannot be written.
    """
    part = target.with_name(target.name + ".part")
    for attempt in range(TRIES):
        if attempt:
            time.sleep(PAUSE * 2 ** (attempt - 1))
        try:
            _transfer(url, part, progress, name or url)
        except _BrokenOffError as error:
            host = urlsplit(url).netloc
            if not error.reached and attempt == 0:
                where = f"{name}: could not reach the server" if name else f"could not reach {host}"
                raise FetchError(f"no network: {where} ({error})") from error
            if attempt == TRIES - 1:
                wrong = f"download from {host} broke off {TRIES} times ({error})"
                kept = "; what has arrived is kept, so another call goes on from there"
                raise FetchError(f"{name}: {wrong}" if name else wrong + kept) from error
        else:
            _version_file(part).unlink(missing_ok=True)
            os.replace(part, target)
            return


def _version_file(part: Path) -> Path:
    return part.with_name(part.name + ".version")


def _transfer(url: str, part: Path, progress: Progress | None, name: str) -> None:
    """Get what is missing of a file, or all of it."""
    have, version = 0, ""
    with suppress(FileNotFoundError):
        version = _version_file(part).read_text(encoding="latin-1")
        have = part.stat().st_size if version and _is_plain(version) else 0
    headers = {"User-Agent": "berge"}
    if have:
        headers |= {"Range": f"bytes={have}-", "If-Range": version}
    request = urllib.request.Request(url, headers=headers)
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 416 and _range(error.headers, r"bytes \*/(\d+)$") == have:
                return
        _give_up_or_retry(error, name, part)
    except urllib.error.URLError as error:
        reason = getattr(error.reason, "strerror", None) or error.reason
        raise _BrokenOffError(reason, reached=False) from error
    except (http.client.HTTPException, ConnectionError, TimeoutError) as error:
        raise _BrokenOffError(error) from error
    with response:
        if response.status == 206:
            start = _range(response.headers, r"bytes (\d+)-")
            if start != have or version_of(response.headers) != version:
                part.unlink()
                raise _BrokenOffError("the server sent another part than was asked for")
        else:
            have = 0
            part.unlink(missing_ok=True)  # first: it is of another version
            _version_file(part).write_text(version_of(response.headers), encoding="ascii")
        length = response.headers.get("Content-Length")
        total = have + int(length) if length else None
        _receive(response, part, have, total, progress)


def _receive(
    response: Any, part: Path, have: int, total: int | None, progress: Progress | None
) -> None:
    with open(part, "ab" if have else "wb") as file:
        while True:
            if progress is not None:
                progress(have, total)
            try:
                piece = response.read(_CHUNK)
            except (http.client.HTTPException, OSError) as error:
                raise _BrokenOffError(error) from error
            if not piece:
                break
            file.write(piece)
            have += len(piece)
    if total is not None and have < total:
        raise _BrokenOffError(f"connection closed after {have} of {total} bytes")


def _give_up_or_retry(error: urllib.error.HTTPError, name: str, part: Path) -> NoReturn:
    if error.code == 416:
        part.unlink(missing_ok=True)
        raise _BrokenOffError("the part that had arrived is not of this file") from error
    if error.code == 429 or error.code >= 500:
        raise _BrokenOffError(f"the server answered {error.code} {error.reason}") from error
    if error.code in (404, 410):
        raise NotFoundError(f"not found: {name}") from error
    raise FetchError(f"the server answered {error.code} {error.reason} to {name}") from error


def version_of(headers: Any) -> str:
    """Return what If-Range takes: a strong ETag, else the date; empty if there is neither."""
    etag = str(headers.get("ETag", ""))
    if etag.startswith('"') and _is_plain(etag):
        return etag
    date = str(headers.get("Last-Modified", ""))
    return date if _is_plain(date) else ""


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _range(headers: Any, pattern: str) -> int | None:
    match = re.match(pattern, headers.get("Content-Range", ""))
    return int(match[1]) if match else None
