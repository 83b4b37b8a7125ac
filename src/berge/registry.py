"""The one list of algorithms; the pipeline, the command line, the tests and the docs iterate it.

An entry names its function as ``module:function`` and imports it when first used, so that listing
costs nothing. The function takes a `Run` and changes its matching in place.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from .errors import OptionError

__all__ = ["Algorithm", "algorithms", "find"]

Kind = Literal["start", "exact"]


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

    def load(self) -> Callable[..., None]:
        """Import the function."""
        module, function = self.function.split(":")
        loaded: Callable[..., None] = getattr(import_module(f"berge.{module}"), function)
        return loaded


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
        name="ms-bfs-graft",
        kind="exact",
        function="augmenting.ms_bfs_graft:ms_bfs_graft",
        summary="breadth-first search from all unmatched rows that keeps its trees by grafting",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Buluç, Pothen 2015",
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
