"""Algorithms by name, and checks of what they are called with.

The pipeline, the command line, the tests and the docs iterate `algorithms`; the rows are in
`catalogue`. Listing imports no algorithm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any

from ..errors import DeviceError, OptionError
from ..hints import ELSEWHERE, elsewhere
from ..wording import did_you_mean
from .algorithm import Algorithm, Kind, Option
from .catalogue import ALGORITHMS

__all__ = [
    "Algorithm", "Kind", "Option", "algorithms", "check_call", "check_device", "check_numbers",
    "check_options", "find", "variants",
]  # fmt: skip

_DEVICES = ("cpu", "cuda")

# By which keyword, and of what, the algorithms of a kind are asked for.
_TAKEN_BY: dict[Kind, tuple[str, str]] = {
    "start": ("init", "berge.maximum_matching"),
    "exact": ("algorithm", "berge.maximum_matching"),
    "greedy": ("method", "berge.greedy_matching"),
    "assign": ("algorithm", "berge.assign"),
    "capacity": ("algorithm", "berge.maximum_matching with capacities"),
    "general-start": ("init", "berge.maximum_matching for any graph"),
    "general": ("algorithm", "berge.maximum_matching for any graph"),
    "general-weighted": ("algorithm", "berge.maximum_weight_matching"),
}


@cache
def algorithms(kind: Kind | None = None) -> tuple[Algorithm, ...]:
    """List the algorithms, or those of one kind; a family of variants is listed once.

    Examples
    --------
    >>> import berge
    >>> [a.name for a in berge.algorithms("start")][:4]
    ['none', 'cheap', 'karp-sipser', 'cheap-random']
    >>> [v.name for a in berge.algorithms() if a.name == "g-pr" for v in a.variants]
    ['g-pr-first', 'g-pr-noshr', 'g-pr-shr']
    """
    return tuple(a for a in ALGORITHMS if kind is None or a.kind == kind)


@cache
def variants(kind: Kind | None = None) -> tuple[Algorithm, ...]:
    """List the algorithms with every variant of a family in place of the family."""
    return tuple(variant for a in algorithms(kind) for variant in a.variants)


@cache
def _by_name(kind: Kind) -> dict[str, Algorithm]:
    return {a.name: a for a in (*variants(kind), *algorithms(kind))}


def find(kind: Kind, name: Any) -> Algorithm:
    """Return the algorithm, or the variant, of that kind and name."""
    choice = _by_name(kind)
    if name in choice:
        return choice[name]
    listed = ", ".join(a.name for a in algorithms(kind))
    homes = (home for other, home in _TAKEN_BY.items() if name in _by_name(other))
    keyword, function = next(homes, ("", ""))
    hint = f"; that is for {keyword}= of {function}" if keyword else did_you_mean(name, choice)
    raise OptionError(f"{_TAKEN_BY[kind][0]} {name!r} is not one of auto, {listed}{hint}")


def check_call(algorithm: Algorithm, device: Any, seed: Any, time_limit: Any) -> None:
    """Check what every pipeline is called with; a device that is asked for must be there."""
    check_device(device)
    if device not in algorithm.devices:
        raise DeviceError(
            f"device {device!r}: {algorithm.name} runs on {', '.join(algorithm.devices)} only"
        )
    if device != "cpu":
        from ..compile.devices import open_device

        open_device(device)
    check_numbers(seed, time_limit)


def check_device(device: Any) -> None:
    """Check the name of a device, not whether it is there."""
    if device not in _DEVICES:
        hint = ""
        if str(device).lower().startswith(("gpu", "cuda", "nvidia")):
            hint = "; did you mean 'cuda'? (which GPU it is, CUDA_VISIBLE_DEVICES says)"
        raise DeviceError(f"device must be one of {', '.join(_DEVICES)}, not {device!r}{hint}")


def check_numbers(seed: Any, time_limit: Any) -> None:
    """Check the numbers that every pipeline takes."""
    number = isinstance(time_limit, Real) and not isinstance(time_limit, bool)
    if time_limit is not None and not (number and time_limit >= 0):
        raise OptionError(f"time_limit must be a number of seconds ≥ 0, not {time_limit!r}")
    if not isinstance(seed, Integral) or seed < 0:
        raise OptionError(f"seed must be a whole number ≥ 0, not {seed!r}")


def check_options(
    exact: Algorithm, start: Algorithm, given: Mapping[str, Any], keywords: Iterable[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Sort options out between an exact algorithm and its start, each checked.

    Where one is not known, a similar one is named; the caller's own `keywords` are looked at too.
    """
    checked: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    if not given:  # as in most calls: those on small graphs take some microseconds in all
        return checked
    for algorithm, options in zip((exact, start), checked, strict=True):
        for option in algorithm.options:
            if option.name in given:
                options[option.name] = option.check(given[option.name])
    for name in given:
        if name not in checked[0] and name not in checked[1]:
            known = [option.name for a in (exact, start) for option in a.options]
            near = "" if name in ELSEWHERE else did_you_mean(name, [*known, *keywords])
            if hint := near or elsewhere(name):
                raise OptionError(f"there is no option {name!r}{hint}")
            raise OptionError(
                f"{exact.name} with start {start.name} has no option {name!r}; it has "
                f"{', '.join(known) or 'none'}"
            )
    return checked
