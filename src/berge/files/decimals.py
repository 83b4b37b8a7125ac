"""Decimal numbers out of text, to the nearest floating-point number.

`decimal` is compiled and takes nearly all there is. What it leaves goes to `number`, in plain
Python, which decides what is a number at all. Both round correctly, so it does not matter which of
them reads a number.

A number is some digits w, times 10^q. The table has the upper 128 bits of 5^q. The product of w
with the upper 64 of them tells the result, unless the bits that are cut off are all ones: then the
lower 64 come in. Of more than 19 digits the first 19 count, if w and w + 1 give the same result.

Reference: Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51,
2021; Mushtak, Lemire, "Fast number parsing without fallback", same journal 53, 2023.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compile import helper

LEAST, MOST = (
    -290,
    280,
)  # exponents for `decimal`: with 19 digits no result is subnormal or too large
ROOM = 19  # digits that fit in 64 bits
ZERO, ONE, TEN = np.uint64(0), np.uint64(1), np.uint64(10)
HALF, LOWER, FULL = np.uint64(32), np.uint64(2**32 - 1), np.uint64(2**64 - 1)
CUT = np.uint64(2**9 - 1)  # the bits of a product below those of a result

_NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[ed][+-]?[0-9]+)?|nan|inf(?:inity)?)", re.IGNORECASE
)


def number(word: bytes) -> float | None:
    """Return a number, correctly rounded; None if the word is none.

    The exponent may have a D, as Fortran writes it. Infinities and NaN are numbers here.

    Examples
    --------
    >>> from berge.files.decimals import number
    >>> number(b"-1.5D+2"), number(b".5"), number(b"1_000"), number(b"0x10")
    (-150.0, 0.5, None, None)
    """
    return float(word.lower().replace(b"d", b"e")) if _NUMBER.fullmatch(word) else None


@cache
def powers() -> npt.NDArray[np.uint64]:
    """Return the upper and the lower half of 5^q for all q, in 128 bits without leading zeros.

    They are rounded down, but up from -27 to -1, where a quotient can be a whole number.
    """
    table = np.empty((MOST - LEAST + 1, 2), np.uint64)
    for q in range(LEAST, MOST + 1):
        power = 5 ** abs(q)
        bits = power.bit_length()
        power = power << 128 >> bits if q >= 0 else (1 << bits + 127) // power + (q >= -27)
        table[q - LEAST] = power >> 64, power & (2**64 - 1)
    return table


@helper
def decimal(data: Any, at: int, table: Any) -> Any:
    """Return the number at `at` and the place after it; NaN where it is left to `number`."""
    negative = data[at] == 45
    if negative or data[at] == 43:
        at += 1
    begin = at
    digits, at, count, rest = _significant(data, at, ZERO, 0)
    q = rest
    some = at > begin
    if data[at] == 46:
        begin = at + 1
        digits, at, count, more = _significant(data, begin, digits, count)
        some = some or at > begin
        # Of the places behind the point those count whose digits do.
        q = rest if rest > 0 else begin - at + more
        rest += more
    if not some:
        return np.nan, at
    if data[at] | 33 == 101:  # e, E, d or D
        at += 1
        minus = data[at] == 45
        if minus or data[at] == 43:
            at += 1
        exponent, after = _digits(data, at, ZERO, 5)
        if after == at or _is_digit(data[after]):
            return np.nan, at
        at = after
        q += -np.int64(exponent) if minus else np.int64(exponent)
    if digits == ZERO:
        return (-0.0 if negative else 0.0), at
    if q < LEAST or q > MOST:
        return np.nan, at
    bits = _scaled(digits, q, table)
    if rest > 0 and bits != _scaled(digits + ONE, q, table):
        return np.nan, at
    value = np.uint64(bits).view(np.float64)
    return (-value if negative else value), at


@helper
def _significant(data: Any, at: int, digits: Any, count: int) -> Any:
    """Read on, after `count` digits; return digits, place, their number and how many do not fit."""
    if count == 0:
        while data[at] == 48:
            at += 1
    digits, after = _digits(data, at, digits, ROOM - count)
    count += after - at
    at = after
    while _is_digit(data[at]):
        at += 1
    return digits, at, count, at - after


@helper
def _digits(data: Any, at: int, digits: Any, room: int) -> Any:
    """Read on, at most `room` digits; return all of them as a number, and the place after."""
    stop = at + room
    byte = data[at]
    while _is_digit(byte) and at < stop:
        digits = digits * TEN + np.uint64(byte - 48)
        at += 1
        byte = data[at]
    return digits, at


@helper
def _is_digit(byte: int) -> bool:
    return byte >= 48 and byte <= 57


@helper
def _scaled(digits: Any, q: int, table: Any) -> Any:
    """Return the bits of ``digits * 10**q`` as a floating-point number, correctly rounded."""
    zeros = 0
    for step in (32, 16, 8, 4, 2, 1):
        if digits >> np.uint64(64 - step) == ZERO:
            digits = digits << np.uint64(step)
            zeros += step
    upper, lower = _product(digits, table[q - LEAST, 0])
    if upper & CUT == CUT:
        more, _ = _product(digits, table[q - LEAST, 1])
        if lower > FULL - more:
            upper += ONE
            lower = more - (FULL - lower) - ONE
        else:
            lower += more
    first = upper >> np.uint64(63)
    shift = first + np.uint64(9)
    mantissa = upper >> shift
    # Halfway between two numbers the even one is right. Only these powers come to lie there.
    halfway = lower <= ONE and q >= -4 and q <= 23 and mantissa << shift == upper
    if halfway and mantissa & np.uint64(3) == ONE:
        mantissa -= ONE
    mantissa = (mantissa + (mantissa & ONE)) >> ONE
    # 217706 / 2^16 is log2(10). The upper bit of the mantissa adds one to the exponent.
    exponent = ((217706 * q) >> 16) + 1085 + np.int64(first) - zeros
    return (np.uint64(exponent) << np.uint64(52)) + mantissa


@helper
def _product(left: Any, right: Any) -> Any:
    """Return the upper and the lower half of a product of 64-bit numbers."""
    a, b, c, d = left >> HALF, left & LOWER, right >> HALF, right & LOWER
    middle = ((b * d) >> HALF) + ((a * d) & LOWER) + ((b * c) & LOWER)
    upper = a * c + ((a * d) >> HALF) + ((b * c) >> HALF) + (middle >> HALF)
    return upper, ((middle & LOWER) << HALF) | ((b * d) & LOWER)
