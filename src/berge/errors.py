"""Everything berge raises on purpose; each class also is the built-in error people would expect."""

from __future__ import annotations

from os import PathLike, fspath


class BergeError(Exception):
    """Base class of all errors raised by berge."""


class InvalidGraphError(BergeError, ValueError):
    """The graph that was passed is not one; the message names the place."""


class InvalidMatchingError(BergeError, ValueError):
    """The matching that was passed does not fit the graph; the message names the place."""


class ProofError(BergeError):
    """A certificate or a matching failed its check."""


class OptionError(BergeError, ValueError):
    """An argument other than the graph has a value that is not allowed."""


class DeviceError(BergeError, RuntimeError):
    """The device asked for is not there."""


class ClusterError(BergeError, RuntimeError):
    """The machines that share a graph cannot go on together."""


class PeerLost(ClusterError):  # noqa: N818 (what happened, not whose fault it is)
    """A peer is gone; what was checkpointed can be gone on from."""


class CheckpointError(BergeError, ValueError):
    """A checkpoint is damaged, or is one of another graph; the message names the file."""


class GuessWarning(RuntimeWarning):
    """What was passed can be read in two ways: how it was read, and how to ask for the other."""


class FetchError(BergeError, OSError):
    """A download failed or what arrived is not what was asked for."""


class NotFoundError(FetchError, FileNotFoundError):
    """There is no such file."""


class FormatError(BergeError, ValueError):
    """A file does not follow its format.

    Attributes
    ----------
    path, line
        Where; `line` counts from 1 and is None where lines have no meaning.
    """

    def __init__(self, message: str, path: str | PathLike[str] = "", line: int | None = None):
        self.path = fspath(path)
        self.line = line
        self._message = message
        where = self.path + (f", line {line}" if line is not None else "")
        super().__init__(f"{where}: {message}" if where else message)

    def at(self, path: str) -> FormatError:
        """Return the same error, of a file that is called otherwise."""
        return type(self)(self._message, path, self.line)

    def later(self, lines: int) -> FormatError:
        """Return the same error, so many lines further on."""
        return FormatError(self._message, self.path, self.line and self.line + lines)
