"""Algorithm 4: the colour of a vertex in a round, blue with probability p, by a quarter of MD5.

The 16 words v, r·v, …, r¹⁵·v (mod 2³²) are hashed by the first of MD5's four rounds of 16 steps.

Slips and changes
    - None: as printed, and other than in MD5, the working words a are added to the hash h after
      every step, not once at the end; the sum of the four words of h is compared with p·2³².

All arithmetic is on 32-bit words held in 64 bits, cut after every sum: so it is the same compiled,
in plain Python and on CUDA. Vertex 0 hashes nothing but zeros, and keeps its colour in all rounds;
its neighbours do not.

Reference: B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
Facing the Multicore-Challenge II, 2012; R. L. Rivest, RFC 1321, 1992 (MD5; T → K).
"""

from __future__ import annotations

import numpy as np

from ...compile import helper

__all__ = ["is_blue", "multiplier", "threshold"]

WORD = 0xFFFFFFFF
H0, H1, H2, H3 = 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476
# K(i) = ⌊2³² · |sin(i + 1)|⌋
K = (
    0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501,
    0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821,
)  # fmt: skip
R = (7, 12, 17, 22)


def threshold(p: float) -> np.int64:
    """Return p·2³², rounded: a vertex is blue if its hash is below."""
    return np.int64(round(p * 2**32))


def multiplier(random: np.random.Generator) -> np.int64:
    """Draw the r of a round; odd, so that multiplying by it loses nothing mod 2³²."""
    return np.int64(random.integers(1 << 31) * 2 + 1)


@helper
def is_blue(v: int, r: int, limit: int) -> bool:
    """Tell whether colour_r(v) is blue; `limit` is p·2³²."""
    h0, h1, h2, h3 = H0, H1, H2, H3
    a0, a1, a2, a3 = H0, H1, H2, H3
    v = v & WORD
    for i in range(16):
        a4 = (a1 & a2) | ((a1 ^ WORD) & a3)
        a5, a3, a2 = a3, a2, a1
        sum_ = (a0 + a4 + K[i] + v) & WORD
        turn = R[i & 3]
        a1 = (a1 + ((sum_ << turn | sum_ >> (32 - turn)) & WORD)) & WORD
        a0 = a5
        h0, h1, h2, h3 = h0 + a0, h1 + a1, h2 + a2, h3 + a3
        v = times(r, v)
    return ((h0 + h1 + h2 + h3) & WORD) < limit


@helper
def times(r: int, v: int) -> int:
    """Return r·v mod 2³² of two 32-bit words, by halves, so that no sum passes 2⁶³."""
    return ((((r >> 16) * v & WORD) << 16) + (r & 0xFFFF) * v) & WORD
