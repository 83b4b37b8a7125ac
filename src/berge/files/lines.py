"""Text by whole lines: a buffer that moves over a file, plain or compressed.

``data[start:stop]`` is always a run of whole lines that ends in a line feed, so what parses it
needs no bounds. If a file has no line feed at its end, one is added. `line` counts the lines before
`start`. The buffer has the size of a chunk. It grows only for a line that is longer than that, up
to the limit of a line, and never by what a header claims.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..errors import FormatError
from ..wording import in_bytes
from .files import PathName, damage_reported, open_bytes
from .limits import Limits, more

CHUNK = 1 << 22
_BLANK = re.compile(rb"[ \t\r\n]*\n")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Run(NamedTuple):
    """Whole lines in a buffer of their own, and the number of lines before them."""

    data: bytearray
    start: int
    stop: int
    path: PathName
    line: int

    def error(self, message: str, line: int) -> FormatError:
        """Return an error at a line."""
        return FormatError(message, self.path, line)


class Lines:
    """The lines of a file, to be taken singly (`peek`, `skip`) or by runs (`fill`, `take`).

    Parameters
    ----------
    path
        The file; a suffix .gz, .bz2 or .xz has it decompressed.
    chunk
        Bytes to read at a time.
    limits
        What the file may ask for.
    """

    def __init__(self, path: PathName, chunk: int | None = None, *, limits: Limits | None = None):
        self.path = path
        self.limits = (limits or Limits()).now()
        self.line = 0
        self.data = bytearray(min(chunk or CHUNK, self.limits.line) + 1)
        self.start = self.stop = 0
        self._filled = 0
        self._added = 0  # bytes that are not in the file
        self._first = True
        self._file = open_bytes(path, self.limits)

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def fill(self, *, check: bool = True) -> bool:
        """Make sure that there is a line between `start` and `stop`; False at the end.

        Without a `check` the run is still to be checked by `check_run`.
        """
        if self.start < self.stop:
            return True
        data = self.data
        tail = self._filled - self.stop
        data[:tail] = data[self.stop : self._filled]
        self._filled, self.start, self.stop = tail, 0, 0
        while self.stop == 0:
            if self._filled == len(data) - 1:  # one byte is kept for a last line feed
                refuse_nul(self.run._replace(start=0, stop=self._filled))
                if self._filled >= self.limits.line:
                    raise self.error(
                        f"line is longer than {in_bytes(self._filled)}; {more('line')}",
                        self.line + 1,
                    )
                data.extend(bytes(min(len(data), self.limits.line + 1 - len(data))))
            before = self._filled
            if self._read() == 0:
                if self._filled == 0:
                    return False
                data[self._filled] = ord("\n")
                self._filled += 1
                self._added = 1
                self.stop = self._filled
            else:
                self.stop = data.rfind(b"\n", before, self._filled) + 1
        if self._first:
            self._first = False
            if data.startswith(_BYTE_ORDER_MARK):
                self.start = len(_BYTE_ORDER_MARK)
        if check:
            check_run(self.run._replace(start=0))
        return True

    def peek(self) -> bytes | None:
        """Return the next line without its line break, None at the end."""
        if not self.fill():
            return None
        return bytes(self.data[self.start : self._line_end()]).rstrip(b"\r")

    def skip(self) -> None:
        """Go past the line that `peek` shows."""
        self.start = self._line_end() + 1
        self.line += 1

    def skip_blank(self) -> bool:
        """Go past empty lines, a run at a time; False at the end."""
        while self.fill() and (blank := _BLANK.match(self.data, self.start, self.stop)):
            self.line += self.data.count(b"\n", self.start, blank.end())
            self.start = blank.end()
        return self.start < self.stop

    def heading(self, comments: bytes, name: str) -> bytes:
        """Go past empty lines, comments and one more line, and return that one."""
        while self.skip_blank() and (line := self.peek()) is not None:
            self.skip()
            text = line.strip()
            if text and text[0] not in comments:
                return text
        raise self.error(f"file ends before {name}", max(self.line, 1))

    def take(self, lines: int) -> None:
        """Go past the run, which had so many lines."""
        self.start = self.stop
        self.line += lines

    @property
    def run(self) -> Run:
        """The lines from `start` to `stop`."""
        return Run(self.data, self.start, self.stop, self.path, self.line)

    def hand_over(self, buffer: bytearray | None = None) -> Run:
        """Give the run away with its buffer, and go on in another one; lines are not counted."""
        run = self.run
        if buffer is None or len(buffer) < len(self.data):
            buffer = bytearray(len(self.data))
        self._filled -= self.stop
        buffer[: self._filled] = self.data[self.stop : self.stop + self._filled]
        self.data, self.start, self.stop = buffer, 0, 0
        return run

    def tell(self) -> int:
        """Return the place of the next line in the text, in bytes."""
        return self._file.tell() + self._added - (self._filled - self.start)

    def seek(self, byte: int, line: int) -> None:
        """Go to a place that `tell` has told, with so many lines before it."""
        with damage_reported(self.path, line):
            self._file.seek(byte)
        self.line, self.start, self.stop, self._filled = line, 0, 0, 0
        self._first = self._first and byte == 0

    def error(self, message: str, line: int | None = None) -> FormatError:
        """Return an error at a line, by default the last one taken."""
        return FormatError(message, self.path, self.line if line is None else line)

    def _line_end(self) -> int:
        return self.data.index(b"\n", self.start, self.stop)

    def _read(self) -> int:
        with memoryview(self.data) as view, damage_reported(self.path, self.line + 1):
            count: int = self._file.readinto(view[self._filled : -1])  # type: ignore[attr-defined]
        self._filled += count
        return count


def check_run(run: Run) -> None:
    """Raise if lines do not end as lines of text do."""
    data, start, stop = run.data, run.start, run.stop
    refuse_nul(run)
    at = data.find(b"\r", start, stop)
    if at >= 0 and data.count(b"\r", start, stop) > data.count(b"\r\n", start, stop):
        while data[at + 1] == ord("\n"):
            at = data.find(b"\r", at + 1, stop)
        raise _error_at(run, at, "carriage return without a line feed")


def refuse_nul(run: Run) -> None:
    """Raise if there is a NUL byte."""
    at = run.data.find(0, run.start, run.stop)
    if at >= 0:
        raise _error_at(run, at, "NUL byte: not a text file, or one in UTF-16")


def _error_at(run: Run, at: int, message: str) -> FormatError:
    return run.error(message, run.line + run.data.count(b"\n", run.start, at) + 1)
