"""Up to eight decimal digits of a text at once, without a branch on how many there are.

The eight bytes from a place on are one number of 64 bits. Its bytes less 48 are digits as long as
they are below 10; the first that is not ends the number. What stands before it is moved to the
upper end, where three products add up pairs of digits, of pairs, and of fours.

Reference: the well-known trick of D. Lemire, "Number parsing at a gigabyte per second", Software:
Practice and Experience 51, 2021, section 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def eight_digits(data: Any, at: int) -> tuple[int, int]:
    """Return the number that up to eight digits make, and how many these are.

    The array of bytes must go on for eight bytes from there.
    """
    value = count = 0
    while count < 8 and 48 <= data[at + count] <= 57:
        value = 10 * value + int(data[at + count]) - 48
        count += 1
    return value, count


@intrinsic
def _load(typingctx: Any, data: Any, at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]])
        word = builder.bitcast(place, ir.IntType(64).as_pointer())
        return builder.load(word, align=1)

    return types.uint64(data, types.int64), codegen


@intrinsic
def _zeros(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.uint64(types.uint64), codegen


LOWER, TOO_MUCH, UPPER = (np.uint64(k * 0x0101010101010101) for k in (0x30, 0x76, 0x80))
PAIRS, FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
BY_10, BY_100, BY_10000 = (
    np.uint64(k) for k in (1 + (10 << 8), 1 + (100 << 16), 1 + (10000 << 32))
)
ONE, THREE, EIGHT, ALL = (np.uint64(k) for k in (1, 3, 8, 64))
HALF, WHOLE = np.uint64(16), np.uint64(32)


@overload(eight_digits, inline="always")
def _compile_eight_digits(data: Any, at: Any) -> Any:
    def implementation(data: Any, at: Any) -> Any:
        word = _load(data, np.int64(at)) ^ LOWER
        ends = ((word + TOO_MUCH) | word) & UPPER
        bits = _zeros(ends) & ~np.uint64(7)  # of the digits: 64 if none ends them
        # Two shifts, since one by 64 is none.
        rest = (ALL - bits) >> ONE
        word = (word << rest) << (ALL - bits - rest)
        word = (word * BY_10) >> EIGHT
        word = ((word & PAIRS) * BY_100) >> HALF
        word = ((word & FOURS) * BY_10000) >> WHOLE
        return np.int64(word), np.int64(bits >> THREE)

    return implementation
