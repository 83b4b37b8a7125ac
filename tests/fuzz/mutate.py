"""What can go wrong with the bytes of a file: numbers, words, lines, trees, arrays, single bits.

Every function takes a `random.Random` first and returns something new. Nothing else is random
here, so a seed says it all.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from random import Random
from typing import Any

NUMBERS = [
    *(str(n).encode() for n in (0, 1, 2, 3, 7, -1, -2, 2**16, 2**31 - 1, 2**31, 2**32, 2**53)),
    *(str(n).encode() for n in (2**62, 2**63 - 1, 2**63, 2**64, -(2**63), 10**13, 10**25, 10**30)),
    *b"+1 1.0 1.5 1e3 1e400 5e-324 -0 00001 1_000 0x10 1d2 --1 1. .5 nan NaN inf -inf".split(),
    *("٣".encode(), b"9" * 400, b""),
]
WORDS = (
    b"%%MatrixMarket matrix coordinate array real integer complex pattern double general "
    b"symmetric skew-symmetric hermitian unsigned-integer vector # % rows cols entries matched "
    b"upper_bound vertices pairs weight maximal yes no method p sp edge col a e c n row left x"
).split()
PIECES = [
    *(b"\xef\xbb\xbf", b"\0", b"\r", b"\r\n", b"\n", b"\n\n", b" ", b"\t", b",", b";", b"%", b"#"),
    *(b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xff", b'"', b"'", b"1 1\n", b"x" * 5000, b"1 " * 3000),
    *("\u2028".encode(), "é".encode(), b"\n%\n", b"-", b"+", b"1"),
]
NAMES = [
    "/dev/zero",
    "../../../../etc/passwd",
    "/etc/passwd",
    "a/b",
    "",
    ".",
    "..",
    "\0",
    "x" * 300,
]
LEAVES = [
    *(None, True, False, 0, 1, -1, 2, 0.5, 1e308, 2**31, 2**62, 2**63, 2**64, 10**30, "", "x", "0"),
    *([], {}, [0], [[0]], [0, 0], {"": 0}, "é" * 99, float("nan"), float("inf"), [None], *NAMES),
]
DTYPES = [
    *("<i4", "<i8", ">i4", "|i1", "<u8", "<u4", "<f8", "<f4", "<c16", "|b1", "|O", "|S0", "|S5"),
    *("<U3", "|V4", "<M8[s]", "<f2", "<i16", "", "<U0", "[('a', '<i4')]", "x" * 99),
]
COMPRESS = {".gz": lambda data: gzip.compress(data, 1, mtime=0), ".bz2": bz2.compress,
            ".xz": lambda data: lzma.compress(data, preset=0)}  # fmt: skip


def in_bytes(rng: Random, data: bytes) -> bytes:
    """Change, remove, repeat or insert some bytes, wherever they are."""
    if not data:
        return rng.choice(PIECES)
    i = rng.randrange(len(data))
    j = min(len(data), i + rng.choice((1, 1, 2, 4, 8, 64)))
    match rng.randrange(7):
        case 0:
            new = bytes([data[i] ^ 1 << rng.randrange(8)])
            return data[:i] + new + data[i + 1 :]
        case 1:
            return data[:i] + rng.choice((b"\0", b"\xff", b"\x7f", b"\x80", b"-", b"9")) + data[j:]
        case 2:
            return data[:i] + data[j:]
        case 3:
            return data[:j] + data[i:]
        case 4:
            return data[:i] + rng.randbytes(j - i) + data[j:]
        case 5:
            return data[:i]
        case _:
            return data[:i] + rng.randbytes(rng.choice((1, 2, 8))) + data[i:]


def in_text(rng: Random, data: bytes) -> bytes:
    """Change a number, a word, a line, or some bytes of text."""
    match rng.randrange(8):
        case 0 | 1 | 2:
            return _swap(rng, data, rb"[0-9][0-9.eE+-]*", NUMBERS)
        case 3:
            return _swap(rng, data, rb"[^\s,;0-9]+", WORDS)
        case 4 | 5:
            lines = data.splitlines(keepends=True) or [b""]
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            match rng.randrange(4):
                case 0:
                    del lines[i]
                case 1:
                    lines.insert(j, lines[i])
                case 2:
                    lines[i], lines[j] = lines[j], lines[i]
                case _:
                    lines = lines[: i + 1] * rng.choice((2, 3, 50))
            return b"".join(lines)
        case 6:
            i = rng.randrange(len(data) + 1)
            return data[:i] + rng.choice(PIECES) + data[i:]
        case _:
            return in_bytes(rng, data)


def _swap(rng: Random, data: bytes, pattern: bytes, others: list[bytes]) -> bytes:
    places = [match.span() for match in re.finditer(pattern, data)]
    if not places:
        return in_bytes(rng, data)
    i, j = rng.choice(places)
    return data[:i] + rng.choice(others) + data[j:]


def in_tree(rng: Random, tree: Any) -> Any:
    """Replace, remove or add something somewhere in what JSON can hold."""
    if isinstance(tree, dict) and tree and rng.random() < 0.9:
        key = rng.choice(sorted(tree))
        match rng.randrange(8):
            case 0:
                return {k: v for k, v in tree.items() if k != key}
            case 1:
                return tree | {rng.choice(NAMES): tree[key]}
            case _:
                return tree | {key: in_tree(rng, tree[key])}
    if isinstance(tree, list) and tree and rng.random() < 0.8:
        i = rng.randrange(len(tree))
        match rng.randrange(6):
            case 0:
                return tree[:i] + tree[i + 1 :]
            case 1:
                return [*tree, tree[i]]
            case _:
                return [*tree[:i], in_tree(rng, tree[i]), *tree[i + 1 :]]
    if isinstance(tree, int) and rng.random() < 0.5:
        return tree + rng.choice((-1, 1, 2, -2, 100, 2**32))
    return rng.choice(LEAVES)


def in_json(rng: Random, data: bytes) -> bytes:
    """Change the tree that JSON text stands for, or the text."""
    match rng.randrange(10):
        case 0:
            return in_text(rng, data)
        case 1:
            return rng.choice((b"[" * 10**5, b'{"a":' * 10**5, b'"\\ud800"', b"1" * 5000, b"\xff"))
        case _:
            try:
                return json.dumps(in_tree(rng, json.loads(data))).encode()
            except (ValueError, RecursionError):
                return in_bytes(rng, data)


def npy(descr: str, shape: tuple[int, ...], data: bytes, order: bool = False) -> bytes:
    """Return an .npy file, sound or not."""
    head = repr({"descr": descr, "fortran_order": order, "shape": shape})
    return with_head(head.encode(), data)


def with_head(head: bytes, data: bytes) -> bytes:
    """Return an .npy file whose header is any text."""
    head = head.ljust(-(len(head) + 11) % 64 + len(head)) + b"\n"
    return b"\x93NUMPY\x01\x00" + (len(head) & 0xFFFF).to_bytes(2, "little") + head + data


def in_npy(rng: Random, data: bytes) -> bytes:
    """Change what the header of an .npy file says, its text, its content, or any byte."""
    size = int.from_bytes(data[8:10], "little")
    head, content = data[10 : 10 + size], data[10 + size :]
    match rng.randrange(8):
        case 0 | 1:
            shape = tuple(rng.choice((0, 1, 2, 3, 9, -1, 2**31, 2**63, 10**6, 10**30))
                          for _ in range(rng.randrange(4)))  # fmt: skip
            return with_head(re.sub(rb"\([^)]*\)", repr(shape).encode(), head).rstrip(), content)
        case 2:
            descr = rng.choice(DTYPES)
            descr = descr if descr.startswith("[") else repr(descr)
            new = re.sub(rb"'descr': '[^']*'", b"'descr': " + descr.encode(), head)
            return with_head(new.rstrip(), content)
        case 3:
            odd = (b"-" * 8999, b"(" * 300, b"{", b"", b"1", b"{'descr':", b"\xff", b"[" * 9000)
            return with_head(rng.choice(odd), content)
        case 4:
            return with_head(in_text(rng, head.rstrip()), content)
        case 5:
            new = rng.choice((b"\0", b"\xff", b"\x7f")) * min(len(content), rng.choice((1, 4, 8)))
            return data[: 10 + size] + new + content[len(new) :]
        case 6:
            return data[: 10 + size] + in_bytes(rng, content)
        case _:
            return in_bytes(rng, data)


def times(rng: Random) -> range:
    """Return how often to change something: mostly once, sometimes never."""
    return range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3, 6)))
