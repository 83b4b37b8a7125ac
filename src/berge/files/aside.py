"""Written aside, then put in place: whatever happens, there is the old one or the new one.

What is being written is called ``.NAME.0123456789ab.berge-tmp``, beside its target, and is locked
by its writer. A killed writer leaves it there, without a lock: the next write of the same target
removes it. Where there are no locks it stays.

A file takes the name of another one in one step. A folder changes places with another one in one
step, where the system has such an exchange. Elsewhere the old folder is first renamed
``.NAME.0123456789ab.berge-old``. A kill right then leaves no folder under the name: readers go to
the old one (`in_place`), until the next write.

Contents are on the disk before they get their names, and the names before the call returns.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

PathName = str | os.PathLike[str]

_TMP, _OLD = ".berge-tmp", ".berge-old"


@contextmanager
def aside(target: str, make: Callable[[str], object]) -> Iterator[str]:
    """Yield a file or folder, made by `make`, beside the target; it goes if it is still there."""
    _sweep(target)
    path, held = "", False
    handles: list[int] = []
    try:
        while not held:
            path = beside(target, secrets.randbits(48))
            try:
                make(path)
            except OSError as error:
                path, error.filename = "", target
                raise
            held = _hold(path, handles)
        yield path
    finally:
        try:
            if path:
                _remove(path)
        finally:
            list(map(os.close, handles))


def beside(target: PathName, token: int) -> str:
    """Return the path of what is written aside, known to its writers by a number of 48 bits."""
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{_short(name)}.{token:012x}{_TMP}")


def token_of(path: PathName) -> int:
    """Return the number in a path that `beside` has made."""
    return int(os.fspath(path).removesuffix(_TMP)[-12:], 16)


@contextmanager
def new_folder(target: PathName) -> Iterator[Path]:
    """Yield an empty folder, which takes the name of the target at the end of the block.

    If anything goes wrong, what was there before stays as it was.
    """
    target = os.path.realpath(target)
    with aside(target, os.mkdir) as folder:
        yield Path(folder)
        sync_folder(folder)
        _put_in_place(folder, target)


def in_place(path: PathName) -> Path:
    """Return where a folder is to be read: under its name, or where a killed writer has put it."""
    if not os.path.lexists(path):
        target = os.path.realpath(path)
        for left in _left_over(target):
            if left.endswith(_OLD):
                return Path(left)
    return Path(path)


def sync_folder(folder: PathName) -> None:
    """Wait until the names in a folder are on the disk, where the system can do that."""
    handles: list[int] = []
    try:
        with suppress(OSError):  # Windows, or a folder that may be written to, not read
            _open(folder, handles)
        for handle in handles:
            os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems
            raise
    finally:
        list(map(os.close, handles))


def _put_in_place(folder: str, target: str) -> None:
    """Give a complete folder its name; one that has it already goes."""
    if not os.path.lexists(target):
        os.rename(folder, target)
    elif not _exchange(folder, target):
        old = folder.removesuffix(_TMP) + _OLD
        os.rename(target, old)
        try:
            os.rename(folder, target)
        except BaseException:
            os.rename(old, target)
            raise
    sync_folder(os.path.dirname(target))
    _sweep(target)


def _exchange(one: str, other: str) -> bool:
    """Have two paths change places, in one step; return whether the system can do that."""
    if (rename := _renameat2()) is None:
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    done: int = rename(here, os.fsencode(one), here, os.fsencode(other), exchange)
    return done == 0


@cache
def _renameat2() -> Any:
    """Return the function of the C library, None if there is none."""
    try:
        function = ctypes.CDLL(None).renameat2
    except (OSError, TypeError, AttributeError):
        return None
    path = ctypes.c_char_p
    function.argtypes = (ctypes.c_int, path, ctypes.c_int, path, ctypes.c_uint)
    return function


def _sweep(target: str) -> None:
    """Remove what this user's killed processes left of earlier writes of the target."""
    for path in _left_over(target):
        handles: list[int] = []
        try:
            # Neither through a link, nor waiting for the other end of a pipe.
            _open(path, handles, os.O_NOFOLLOW | os.O_NONBLOCK)
            ours = _lock(handles[0]) and os.fstat(handles[0]).st_uid == os.getuid()
            # An old folder is the only one there is until the target has its name.
            if ours and (path.endswith(_TMP) or os.path.lexists(target)):
                _remove(path)
        except OSError:
            pass
        finally:
            list(map(os.close, handles))


def _left_over(target: str) -> list[str]:
    folder, name = os.path.split(target)
    ours = re.compile(
        rf"\.{re.escape(_short(name))}\.[0-9a-f]{{12}}({re.escape(_TMP)}|{re.escape(_OLD)})"
    )
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if ours.fullmatch(entry.name)]
    except OSError:
        return []


def _short(name: str) -> str:
    """Cut a name so that there is room for more in it."""
    return os.fsdecode(os.fsencode(name)[:100])


def _hold(path: str, handles: list[int]) -> bool:
    """Lock a new file or folder, where locks are; return False if it was swept before."""
    try:
        _open(path, handles)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return _lock(handles[-1]) is not False and os.path.lexists(path)


def _open(path: PathName, handles: list[int], flags: int = 0) -> None:
    """Open a file or folder to read, and add its handle to a list.

    In one step: the handle is in the list, whenever Ctrl-C comes. Closing is one step too.
    """
    handles.extend(map(os.open, [path], [os.O_RDONLY | flags]))


def _lock(handle: int) -> bool | None:
    """Lock an open file or folder; False if another process has done so, None if nobody can."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # Windows, some network file systems
        return None
    return True


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(FileNotFoundError):
            os.unlink(path)
