"""Which two columns of a table hold the ends of its edges."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidGraphError, OptionError
from ..wording import did_you_mean


def choose_columns(
    names: list[Any], left: Any = None, right: Any = None, *, by_number: bool = False
) -> tuple[int, int]:
    """Return the places of two columns; who names none or one must leave no other choice.

    With `by_number`, text that is no name but a number counts the columns from 1.

    Examples
    --------
    >>> from berge.files.columns import choose_columns
    >>> choose_columns(["job", "worker"], left="worker")
    (1, 0)
    >>> choose_columns(["job", "worker", "pay"], "3", "1", by_number=True)
    (2, 0)
    >>> choose_columns(["job", "worker", "pay"], left="worker")
    Traceback (most recent call last):
        ...
    berge.errors.OptionError: name the column by right=…, of 'job', 'pay'
    """
    if len(names) < 2:
        raise InvalidGraphError(f"edges need two columns, left and right; there is only {names!r}")
    first, second = (
        None if name is None else place_of(names, side, name, by_number)
        for side, name in (("left", left), ("right", right))
    )
    if first is not None and first == second:
        raise OptionError(f"left and right are both the column {names[first]!r}")
    free = [place for place in range(len(names)) if place not in (first, second)]
    missing = [side for side, place in (("left", first), ("right", second)) if place is None]
    if len(missing) < len(free) and missing:
        which = "column" if len(missing) == 1 else "columns"
        listing = ", ".join(repr(names[place]) for place in free[:20])
        more = f" and {len(free) - 20} more" if len(free) > 20 else ""
        hint = "" if len(missing) == 1 else " (a matrix is passed as an array)"
        by = " and ".join(f"{side}=…" for side in missing)
        raise OptionError(f"name the {which} by {by}, of {listing}{more}{hint}")
    first = free.pop(0) if first is None else first
    return first, free.pop(0) if second is None else second


def place_of(names: list[Any], side: str, name: Any, by_number: bool = False) -> int:
    """Return the place of the one column of that name; with `by_number`, or of that number."""
    places = [place for place, other in enumerate(names) if other == name]
    if len(places) > 1:
        raise OptionError(f"{side}: {len(places)} columns are called {name!r}")
    if places:
        return places[0]
    if by_number and name.isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    listing = ", ".join(map(repr, names))
    alike = next((other for other in names if str(other).casefold() == str(name).casefold()), None)
    hint = did_you_mean(name, map(str, names)) if alike is None else f"; did you mean {alike!r}?"
    raise OptionError(f"{side}: there is no column {name!r}; the columns are {listing}{hint}")
