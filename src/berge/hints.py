"""What an argument that is not known was probably meant to be."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec, TypeVar

from .errors import OptionError
from .wording import did_you_mean

__all__ = ["ELSEWHERE", "elsewhere", "with_hints"]

P = ParamSpec("P")
R = TypeVar("R")

_BY_WEIGHT = (
    "the best by weight is found by berge.assign, of any graph by berge.maximum_weight_matching"
)
_NAMES = "names are given by berge.as_bipartite(graph, row_labels=…, col_labels=…)"
_TABLES = "columns of tables are named to berge.as_bipartite(table, left=…, right=…)"
# What people ask for that has another name, or is to be had elsewhere, by a word in its name.
ELSEWHERE = {
    "top_nodes": "which nodes are rows is said to berge.as_bipartite(graph, top_nodes=…)",
    "left": _TABLES,
    "right": _TABLES,
    "maximi": "the largest sum is objective='max' of berge.assign; berge.maximum_weight_matching "
    "looks for the heaviest already",
    "shape": "the shape goes with index arrays: (rows, cols, shape)",
    "fmt": "the format of a file is format=…",
    "checker": "what checks is check=…",
    "matching": "a matching to begin with is initial=…",
    "algorithm": "here it is method=…",
    "method": "the name of an algorithm is algorithm=…",
    "weight": _BY_WEIGHT,
    "cost": _BY_WEIGHT,
    "score": _BY_WEIGHT,
    "name": _NAMES,
    "label": _NAMES,
    "gpu": "a GPU is device='cuda'",
    "jobs": "the number of threads is threads=…",
    "timeout": "a limit of seconds is time_limit=…",
}


def elsewhere(name: str) -> str:
    """Return the end of a message about an unknown option: what has that to give, or nothing."""
    low = name.lower()
    near = [low] if low in ELSEWHERE else [word for word in ELSEWHERE if word in low]
    near = near or get_close_matches(low, ELSEWHERE, n=1)
    return f"; {ELSEWHERE[near[0]]}" if near else ""


def with_hints(function: Callable[P, R]) -> Callable[P, R]:
    """Have a function say what a keyword that it does not know was probably meant to be."""
    known = function.__code__.co_varnames[: len(function.__annotations__) - 1]

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in known:
                near = "" if name.startswith("maximi") else did_you_mean(name, known)
                hint = near or elsewhere(name)
                hint = hint or f"; there are {', '.join(known[1:])}"
                raise OptionError(f"{function.__name__} has no argument {name!r}{hint}")
        return function(*args, **kwargs)

    return checked
