"""The registry's rows: what `berge.generate.KINDS` holds.

A kind is a function and a name. Its parameters are read from the function's signature and from the
section "Parameters" of its docstring, so they are written down once.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import OptionError
from ..graphs.graph import BipartiteGraph

__all__ = ["Kind", "Parameter"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kind of graph.

    Attributes
    ----------
    name, type, description
        As the function's signature and docstring have them, e.g. type "float | None".
    default
        None also where there is none; `required` tells.
    required
        Whether a value must be given.
    """

    name: str
    type: str
    default: Any
    required: bool
    description: str

    def parse(self, text: str) -> Any:
        """Return the value that a text such as "1e6", "yes", "0.5" or "1,2,3" stands for."""
        for kind in self.type.split(" | "):
            try:
                return _PARSERS[kind](text.strip())
            except ValueError:
                continue
        raise OptionError(f"{self.name} must be {self.type}, not {text!r}")


@dataclass(frozen=True)
class Kind:
    """A kind of graph by name, described for people and for the command line.

    Examples
    --------
    >>> from berge import generate
    >>> grid = generate.KINDS["grid"]
    >>> [(p.name, p.type, p.required) for p in grid.parameters]
    [('width', 'int', True), ('height', 'int', True)]
    >>> grid.from_text({"width": "3", "height": "2"})
    BipartiteGraph(6 × 6, 20 edges)
    """

    name: str
    function: Callable[..., BipartiteGraph]

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order."""
        doc = inspect.getdoc(self.function) or ""
        section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", doc, re.M | re.S)
        entries = re.findall(r"^(\S.*)\n((?: +.*\n?)+)", section[1] if section else "", re.M)
        described = {n: " ".join(t.split()) for names, t in entries for n in names.split(", ")}
        return tuple(
            Parameter(
                name=p.name,
                type=str(p.annotation),
                default=None if p.default is p.empty else p.default,
                required=p.default is p.empty,
                description=described.get(p.name, ""),
            )
            for p in inspect.signature(self.function).parameters.values()
        )

    def from_text(self, values: Mapping[str, str]) -> BipartiteGraph:
        """Make the graph from parameters as they stand on a command line."""
        known = {p.name: p for p in self.parameters}
        for name in values:
            if name not in known:
                raise OptionError(f"{self.name} has no parameter {name!r}, only {', '.join(known)}")
        for p in self.parameters:
            if p.required and p.name not in values:
                raise OptionError(f"{self.name} needs {p.name}: {p.description}")
        return self.function(**{name: known[name].parse(text) for name, text in values.items()})


def _parse_int(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        value = float(text)  # 1e6
        if not value.is_integer():
            raise
        return int(value)


def _parse_bool(text: str) -> bool:
    try:
        return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[
            text.lower()
        ]
    except KeyError:
        raise ValueError from None


def _parse_none(text: str) -> None:
    if text.lower() != "none":
        raise ValueError


# How a text is read, by the name of the type.
_PARSERS: dict[str, Callable[[str], Any]] = {
    "int": _parse_int,
    "float": float,
    "bool": _parse_bool,
    "None": _parse_none,
    "str": str,
    "Sequence[float]": lambda text: tuple(float(part) for part in text.split(",")),
}
