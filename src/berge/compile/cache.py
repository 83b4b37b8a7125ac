"""Where compiled kernels come from: those that came with berge, those kept here, or the compiler.

`KernelCache` asks in this order. Nothing of it stands in anybody's way: what cannot be loaded is
compiled, and what cannot be kept is compiled again the next time. A file that is damaged, a folder
that cannot be written to or a full disk cost the time to compile, and nothing else.

Nothing is looked for before a kernel is first called.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

from . import shipped
from .held import held
from .sources import stamp_of
from .stored import StoredForm

__all__ = ["CacheFiles", "KernelCache"]

_log = logging.getLogger("berge")


class KernelCache(NullCache):
    """The compiled forms of one kernel, as numba's dispatcher asks for them."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    @cached_property
    def stamp(self) -> str:
        """A hash of the source that the kernel is made of."""
        return stamp_of(self.function)

    @cached_property
    def kept(self) -> FunctionCache | NullCache:
        """Numba's cache on the disk, or one that keeps nothing where no folder can be written."""
        try:
            return _Kept(self.function, self.stamp)
        except RuntimeError as error:
            _log.info("kernels are not kept: %s", error)
            return NullCache()

    @property
    def cache_path(self) -> str | None:
        """The folder of the cache on the disk."""
        path: str | None = self.kept.cache_path
        return path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, None if it was not, or is damaged."""
        for load in (self._load_shipped, self._load_kept):
            try:
                with held:
                    found = load(sig, target_context)
            except Exception as error:  # unpickling raises anything
                _log.info("compiling anew, since the cache has a damaged file: %r", error)
            else:
                if found is not None:
                    return found
        return None

    def _load_shipped(self, sig: Any, target_context: Any) -> Any:
        return shipped.load(self.function, self.stamp, sig, target_context)

    def _load_kept(self, sig: Any, target_context: Any) -> Any:
        return self.kept.load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if the disk is not full."""
        shipped.collect(self.function, self.stamp, sig, data)
        self.keep(sig, data)

    def keep(self, sig: Any, data: Any) -> None:
        """Put what was compiled on the disk, if that is not full."""
        try:
            self.kept.save_overload(sig, data)
        except OSError as error:
            _log.info("a kernel is not kept: %s", error)


class _Kept(FunctionCache):
    """numba's cache of a kernel on the disk, which notices changes in all that the kernel calls."""

    _impl_class = StoredForm

    def __init__(self, function: Callable[..., Any], stamp: str):
        super().__init__(function)
        self._cache_file = CacheFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what is kept for a signature; the compiler is not woken for it."""
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class CacheFiles(IndexDataCacheFile):
    """numba's files of a kernel: an index, and one with code for each signature.

    At the end of each is a checksum. Code is in its file before the index names that file, and each
    signature and state of the source has a file name of its own. So whoever is killed or works at
    the same time, the index never leads to other code.
    """

    def save(self, key: Any, data: Any) -> None:
        """Keep the code of a signature."""
        overloads = self._load_index()
        if not overloads:
            codes = escape(self._index_name.removesuffix("nbi")) + "*.nbc"
            for old in Path(self._cache_path).glob(codes):
                old.unlink(missing_ok=True)  # of another state of the source
        known_by = hashlib.blake2b(repr((key, self._source_stamp)).encode(), digest_size=8)
        overloads[key] = self._data_name(int.from_bytes(known_by.digest()))
        self._save_data(overloads[key], data)
        self._save_index(overloads)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + _checksum(content.getvalue()))

    def _load_index(self) -> dict[Any, str]:
        return super()._load_index() if _is_sound(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _is_sound(path := self._data_path(name)):
            raise FileNotFoundError(path)
        return super()._load_data(name)


def _is_sound(path: str) -> bool:
    """Tell whether a file of the cache is there and as it was written; remove it if it is not."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return False
    if _checksum(content[:-4]) == content[-4:]:
        return True
    _log.info("compiling anew, since a file of the cache is damaged: %s", path)
    with suppress(OSError):
        os.unlink(path)
    return False


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content, 1).to_bytes(4, "little")  # from 1: that of nothing is not 0
