"""What the list of algorithms says of each: `Algorithm`, and its `Option`s."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any, Literal

from ..errors import OptionError

__all__ = ["Algorithm", "Kind", "Option", "load"]

Kind = Literal[
    "start", "exact", "greedy", "assign", "capacity", "general-start", "general", "general-weighted"
]  # fmt: skip


def load(function: str) -> Callable[..., Any]:
    """Import a function by ``module:function``: the way to what stands in rooms above."""
    module, name = function.split(":")
    found: Callable[..., Any] = getattr(import_module(f"berge.{module}"), name)
    return found


@dataclass(frozen=True)
class Option:
    """An option of an algorithm: a keyword of its function, with the default that stands there too.

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
            words = {"true": True, "yes": True, "false": False, "no": False}
            return words[value] if isinstance(value, str) else {True: True, False: False}[value]
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
    """One algorithm, or a family of variants that options tell apart.

    Attributes
    ----------
    name
        What users pass as ``algorithm``, ``init`` or ``method``.
    kind
        ``"start"`` (a maximal matching to begin with) or ``"exact"`` (a maximum matching), both of
        bipartite graphs; ``"greedy"`` (a maximal matching of any graph); ``"assign"`` (the
        cheapest choice of edges of a bipartite graph); ``"capacity"`` (as many edges of a bipartite
        graph as the capacities of its vertices allow); ``"general"`` (a maximum matching of any
        graph), ``"general-start"`` (what that begins with) or ``"general-weighted"`` (the heaviest
        matching of any graph).
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
        What it can be told.
    aliases
        Names of its variants, each with the options that the name stands for.
    settled
        The options that the name of a variant stands for; none of a family.
    borrows
        Whether it reads indices of the caller's as they must be read (`BorrowedGraph`).
    several
        Whether a vertex may have other than one unit; for assignment.
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
    aliases: Mapping[str, Mapping[str, bool | str]] = field(default_factory=dict, hash=False)
    settled: Mapping[str, bool | str] = field(default_factory=dict, hash=False, repr=False)
    borrows: bool = False
    several: bool = False

    def load(self) -> Callable[..., None]:
        """Import the function; what the name of a variant stands for is settled."""
        function = load(self.function)
        return partial(function, **self.settled) if self.settled else function

    @property
    def variants(self) -> tuple[Algorithm, ...]:
        """All forms of the algorithm, by name; itself if there is but one."""
        return tuple(self._variant(*alias) for alias in self.aliases.items()) or (self,)

    def _variant(self, name: str, settled: Mapping[str, bool | str]) -> Algorithm:
        """Return the variant that such options make, which has the others left."""
        said = ", ".join(f"{key}={value}".lower() for key, value in settled.items())
        return replace(
            self,
            name=name,
            summary=f"{self.summary} ({said})" if said else self.summary,
            options=tuple(option for option in self.options if option.name not in settled),
            aliases={},
            settled=settled,
        )
