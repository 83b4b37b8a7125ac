"""How much a file may ask for: memory, a line, what decompressing yields, a download."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike

from ..errors import FormatError, OptionError
from ..graphs.memory import available, solve_bytes
from ..wording import in_bytes, plural


@dataclass(frozen=True)
class Limits:
    """What reading a file may take; more of it is a `FormatError` that names the limit.

    Parameters
    ----------
    memory
        Bytes that a solve of the graph may take. Sizes in a header are compared with it before
        anything is allocated. By default what the machine, control groups and ``ulimit`` leave.
    line
        Bytes in one line of text.
    ratio
        Bytes of text for one byte of a compressed file. The first 16 MB of text are free.
    download
        Bytes of a URL or an open file, of which a copy is made; by default what the disk has room
        for.

    Examples
    --------
    >>> import berge
    >>> berge.Limits(line=2**31)
    Limits(memory=None, line=2147483648, ratio=30000, download=None)
    >>> berge.read("graph.metis", limits=berge.Limits(line=2**31))  # doctest: +SKIP
    """

    memory: int | None = None
    line: int = 1 << 28
    # Measured on 15 to 100 MB of text. Banded and complete graphs, stars, matchings, entries of
    # equal value: up to 140 in gzip, 70 in bz2, 4200 in xz. Arrays of equal values: 1030 in gzip
    # and 6800 in xz, which is the most that these can do, and 28 000 in bz2. Above that there are
    # only runs of one byte in bz2: 600 000 and more.
    ratio: float = 30_000
    download: int | None = None

    def __post_init__(self) -> None:
        for name in ("memory", "line", "ratio", "download"):
            value = getattr(self, name)
            kinds = (int, float) if name == "ratio" else (int,)
            given = value is not None or name not in ("memory", "download")
            sound = isinstance(value, kinds) and not isinstance(value, bool) and 0 < value < 2**63
            if given and not sound:
                raise OptionError(f"limit {name} must be a number above 0, not {value!r}")

    def now(self) -> Limits:
        """Return the same with a number for `memory`: what there is now, where none was given."""
        return self if self.memory is not None else replace(self, memory=available())

    def check(
        self,
        shape: tuple[int, int],
        edges: int,
        path: str | PathLike[str],
        line: int | None = None,
        *,
        needed: int | None = None,
    ) -> None:
        """Refuse a graph if there is no memory for a solve, or for the bytes that are `needed`."""
        needed = solve_bytes(shape, edges) if needed is None else needed
        memory = self.now().memory or 0
        if needed > memory:
            sides = plural(shape[0], "row"), plural(shape[1], "column")
            wrong = f"{', '.join(sides)}, {plural(edges, 'edge')} do not fit in memory: "
            wrong += f"they take {in_bytes(needed)}, there are {in_bytes(memory)}"
            raise FormatError(f"{wrong}; {more('memory')}", path, line)


def more(name: str) -> str:
    """Return the end of a message: how to permit more."""
    return f"--limit {name}=VALUE, or Limits({name}=…), permits more"
