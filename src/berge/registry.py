"""The one list of algorithms; the pipeline, the command line, the tests and the docs iterate it.

An entry names its function as ``module:function`` and imports it when first used, so that listing
costs nothing. The function takes a `Run` and changes its matching in place.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from .errors import OptionError

__all__ = ["Algorithm", "Option", "algorithms", "check_options", "find"]

Kind = Literal["start", "exact"]


@dataclass(frozen=True)
class Option:
    """A switch of an algorithm: a keyword of its function, with the default that stands there too.

    The type is that of the default; numbers lie from `low` to `high`.
    """

    name: str
    default: bool | int | float | str
    summary: str
    low: float = 0
    high: float = math.inf
    choices: tuple[str, ...] = ()

    @property
    def values(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return " or ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{kind} from {self.low:g}" + (f" to {self.high:g}" if self.high < math.inf else "")

    def check(self, value: Any) -> bool | int | float | str:
        """Return a value as the function takes it; text, as a command line has it, is read."""
        try:
            return self._read(value)
        except (KeyError, OverflowError, TypeError, ValueError):
            raise OptionError(f"{self.name} must be {self.values}, not {value!r}") from None

    def _read(self, value: Any) -> bool | int | float | str:
        if self.choices:
            if value not in self.choices:
                raise ValueError
            return str(value)
        if isinstance(self.default, bool):
            return {True: True, False: False, "true": True, "false": False}[value]
        if isinstance(value, bool):
            raise TypeError
        number = float(value)
        if not self.low <= number <= self.high:
            raise ValueError
        if isinstance(self.default, int):
            if number != int(number):
                raise ValueError
            return int(number)
        return number


@dataclass(frozen=True)
class Algorithm:
    """One algorithm.

    Attributes
    ----------
    name
        What users pass as ``algorithm`` or ``init``.
    kind
        ``"start"`` (a maximal matching to begin with) or ``"exact"`` (a maximum matching).
    summary
        How it works, in one line.
    bound
        Worst-case work, for n vertices and m edges.
    threads
        Whether it runs on more than one thread.
    deterministic
        Whether one seed gives one result on any number of threads. On one thread all do.
    paper
        Where it comes from.
    devices
        Where it runs.
    options
        Its switches.
    """

    name: str
    kind: Kind
    function: str
    summary: str
    bound: str
    threads: bool
    deterministic: bool
    paper: str
    devices: tuple[str, ...] = ("cpu",)
    options: tuple[Option, ...] = ()

    def load(self) -> Callable[..., None]:
        """Import the function."""
        module, function = self.function.split(":")
        loaded: Callable[..., None] = getattr(import_module(f"berge.{module}"), function)
        return loaded


_ALPHA = Option("alpha", 5.0, "go top-down while the frontier is under 1/α of the unvisited", 1.0)
_LOOKAHEAD = Option("lookahead", True, "look for a free column before going deeper")
_FAIRNESS = Option("fairness", True, "read adjacency lists from their end in every other phase")

_ALGORITHMS = (
    Algorithm(
        name="none",
        kind="start",
        function="initial.none:none",
        summary="begin with the empty matching, or the one passed as initial",
        bound="O(1)",
        threads=False,
        deterministic=True,
        paper="",
    ),
    Algorithm(
        name="cheap",
        kind="start",
        function="initial.cheap:cheap",
        summary="every row takes its first free column",
        bound="O(n + m)",
        threads=False,
        deterministic=True,
        paper="Duff, Kaya, Uçar 2011",
    ),
    Algorithm(
        name="karp-sipser",
        kind="start",
        function="initial.karp_sipser:karp_sipser",
        summary="vertices of degree one first, random ones only when none is left",
        bound="O(n + m)",
        threads=False,
        deterministic=True,
        paper="Karp, Sipser 1981",
    ),
    Algorithm(
        name="pothen-fan",
        kind="exact",
        function="augmenting.pothen_fan:pothen_fan",
        summary="depth-first search from all unmatched rows, with lookahead and fairness",
        bound="O(n·m)",
        threads=False,
        deterministic=True,
        paper="Pothen, Fan 1990; Duff, Kaya, Uçar 2011",
        options=(_LOOKAHEAD, _FAIRNESS),
    ),
    Algorithm(
        name="hopcroft-karp",
        kind="exact",
        function="augmenting.hopcroft_karp:hopcroft_karp",
        summary="a maximal set of shortest augmenting paths in every phase",
        bound="O(√n·m)",
        threads=False,
        deterministic=True,
        paper="Hopcroft, Karp 1973",
    ),
    Algorithm(
        name="ms-bfs",
        kind="exact",
        function="augmenting.ms_bfs_graft:ms_bfs",
        summary="breadth-first search from all unmatched rows at once",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Buluç, Pothen 2015",
    ),
    Algorithm(
        name="ms-bfs-do",
        kind="exact",
        function="augmenting.ms_bfs_graft:ms_bfs_do",
        summary="MS-BFS that goes bottom-up where the frontier is large",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Buluç, Pothen 2015",
        options=(_ALPHA,),
    ),
    Algorithm(
        name="ms-bfs-graft",
        kind="exact",
        function="augmenting.ms_bfs_graft:ms_bfs_graft",
        summary="breadth-first search from all unmatched rows that keeps its trees by grafting",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Buluç, Pothen 2015",
        options=(
            _ALPHA,
            Option("direction_optimising", True, "go bottom-up where the frontier is large"),
            Option("grafting", True, "keep active trees from phase to phase"),
        ),
    ),
)


def algorithms(kind: Kind | None = None) -> tuple[Algorithm, ...]:
    """List the algorithms, or those of one kind.

    Examples
    --------
    >>> import berge
    >>> [a.name for a in berge.algorithms("start")]
    ['none', 'cheap', 'karp-sipser']
    """
    return tuple(a for a in _ALGORITHMS if kind is None or a.kind == kind)


def find(kind: Kind, name: Any) -> Algorithm:
    """Return the algorithm of that kind and name."""
    choice = {a.name: a for a in algorithms(kind)}
    if name in choice:
        return choice[name]
    argument = "init" if kind == "start" else "algorithm"
    near = difflib.get_close_matches(str(name), choice, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise OptionError(f"{argument} {name!r} is not one of auto, {', '.join(choice)}{hint}")


def check_options(
    exact: Algorithm, start: Algorithm, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Sort options out between an exact algorithm and its start, each checked."""
    checked: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for name, value in given.items():
        for algorithm, options in zip((exact, start), checked, strict=True):
            for option in algorithm.options:
                if option.name == name:
                    options[name] = option.check(value)
        if not any(name in options for options in checked):
            known = [option.name for a in (exact, start) for option in a.options]
            raise OptionError(
                f"{exact.name} with start {start.name} has no option {name!r}; "
                f"it has {', '.join(known) or 'none'}"
            )
    return checked
