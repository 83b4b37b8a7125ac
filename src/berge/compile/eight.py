"""Up to eight decimal digits of a text at once, without a branch on how many there are.

The eight bytes from a place on are one number of 64 bits. Its bytes less 48 are digits as long as
they are below 10; the first that is not ends the number. What stands before it is moved to the
upper end, where three products add up pairs of digits, of pairs, and of fours.

Reference: the well-known trick of D. Lemire, "Number parsing at a gigabyte per second", Software:
Practice and Experience 51, 2021, section 7.
"""

from __future__ import annotations

from typing import Any


def eight_digits(data: Any, at: int) -> tuple[int, int]:
    """Return the number that up to eight digits make, and how many these are.

    The array of bytes must go on for eight bytes from there.
    """
    value = count = 0
    while count < 8 and 48 <= data[at + count] <= 57:
        value = 10 * value + int(data[at + count]) - 48
        count += 1
    return value, count
