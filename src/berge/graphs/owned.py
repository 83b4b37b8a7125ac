"""What a graph has looked at stays as it is: arrays that nobody can change, attributes set once.

Kernels do not look at indices again, so an index that changed after it was checked would lead them
astray, anywhere in memory. Hence graphs copy what others could write to, and hold it `sealed`. What
is sealed, no assignment, no flag and no other array leads to any more. (Names that begin with an
underscore do, and so does ctypes.) A copy takes about as long as the check, and the two are made in
one pass over the indices (`passes.copied`).

Only the default reads a scipy array before it is copied, see `BorrowedGraph`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

__all__ = ["OwnClasses", "Owner", "fixed", "is_sealed", "sealed", "settle"]

Value = TypeVar("Value")


class Owner:
    """A base of what has `fixed` attributes, and no others: nothing takes a method's place."""

    __slots__ = ("__weakref__", "_values")

    _values: dict[str, Any]

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Begin with no values."""
        owner = object.__new__(cls)
        owner._values = {}
        return owner


class OwnClasses:
    """A base of classes that only berge derives others from.

    A property of another's class could say of a graph what was never checked.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        if not cls.__module__.startswith("berge."):
            raise TypeError(f"{cls.__base__.__name__} has no subclasses: keep a graph beside")  # type: ignore[union-attr]
        super().__init_subclass__()


class _Seal:
    """What numpy makes a sealed array of: a capsule keeps memory alive, and shows it to nobody."""

    __slots__ = ("__array_struct__",)

    def __init__(self, array: npt.NDArray[Any]):
        self.__array_struct__: Any = array.__array_struct__


def sealed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a read-only array of this memory, which cannot be made writeable again.

    Of an ordinary read-only array the flag can be set back: its own, or that of its `base`. The
    base of this one leads nowhere. The caller is to forget the array, and all views of it.
    """
    if is_sealed(array):
        return array
    array.flags.writeable = False
    return np.asarray(_Seal(array))


def is_sealed(array: npt.NDArray[Any]) -> bool:
    """Whether nobody can write to this array, nor to what it is a view of."""
    base: Any = array.base
    if type(base) is np.ndarray:  # of which it is a view
        base = base.base
    return type(base) is tuple and type(base[0]) is _Seal


class fixed(Generic[Value]):  # noqa: N801 (read like `property`)
    """An attribute that is set once, or computed once, and then stays.

    Of an array everybody gets a view, so that nobody changes its type or shape for others.
    """

    def __init__(self, compute: Callable[[Any], Value] | None = None):
        self._compute = compute
        self.__doc__ = compute.__doc__ if compute else None

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, graph: None, owner: type) -> Self: ...
    @overload
    def __get__(self, graph: object, owner: type) -> Value: ...
    def __get__(self, graph: Any, owner: type) -> Any:
        if graph is None:
            return self
        try:
            value = graph._values[self._name]
        except KeyError:
            if self._compute is None:
                raise AttributeError(f"{owner.__name__} has no {self._name} yet") from None
            value = settle(graph, self._name, self._compute(graph))
        return value.view() if type(value) is np.ndarray else value

    def __set__(self, graph: Any, value: Value) -> None:
        if self._compute or self._name in graph._values:
            raise AttributeError(
                f"{self._name} of a {type(graph).__name__} cannot be changed: make a new one"
            )
        settle(graph, self._name, value)


def settle(graph: Any, name: str, value: Any) -> Any:
    """Set a fixed attribute, which its graph has found out by the way."""
    graph._values[name] = value = sealed(value) if isinstance(value, np.ndarray) else value
    return value
