"""What once did harm, made anew for the corpus: ``python -m tests.fuzz.seeds`` writes it there.

Files that were found by fuzzing are put there as they are (``tests.fuzz.fuzz --keep``).
"""

from __future__ import annotations

import bz2
import io
import json
import zipfile
from pathlib import Path

import numpy as np

from .fuzz import CORPUS
from .inputs import Files
from .mutate import npy, with_head
from .targets import put

_HEAD = "%%MatrixMarket matrix "


def _long_line(start: str) -> bytes:
    """Return what unpacks to half a gigabyte in one line: more than a line may have."""
    return bz2.compress(start.encode()) + bz2.compress(b" " * (1 << 24)) * 32


def _npz(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), data)
    return buffer.getvalue()


def _scipy(form: bytes, **members: bytes) -> Files:
    shape = npy("<i8", (2,), np.array([2, 2]).tobytes())
    return {"g.npz": _npz(format=npy(f"|S{len(form)}", (), form), shape=shape, **members)}


def _folder(meta: str, indptr: bytes) -> Files:
    empty = npy("<i4", (0,), b"")
    return {"g.berge/meta.json": meta.encode(), "g.berge/indptr.npy": indptr,
            "g.berge/indices.npy": empty}  # fmt: skip


def _parquet(columns: list[str], values: list[int]) -> Files:
    import pyarrow
    import pyarrow.parquet

    buffer = io.BytesIO()
    arrays = [pyarrow.array(values, "int64") for _ in columns]
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, columns), buffer)
    return {"g.parquet": buffer.getvalue()}


def seeds() -> dict[str, Files]:
    """Return inputs by ``target/name``."""
    one = npy("<i4", (1,), bytes(4))
    meta = {"format": "berge", "version": 1, "rows": 0, "cols": 0, "edges": 0,
            "dtypes": {"indptr": "int64", "indices": "int32"},
            "checksums": {"indptr": [0], "indices": []}}  # fmt: skip
    text = {
        "matrix-market/complex-cut-short":
            f"{_HEAD}coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 1 2r",
        "matrix-market/array-of-a-million": f"{_HEAD}array real general\n1000000 1000000\n1\n",
        "matrix-market/many-rows":
            f"{_HEAD}coordinate pattern general\n{4 * 10**12} {4 * 10**12} 1\n1 1\n",
        "matrix-market/beyond-64-bits": f"{_HEAD}coordinate integer general\n1 1 1\n1 1 {10**20}\n",
    }  # fmt: skip
    files = {name: {"g.mtx": content.encode()} for name, content in text.items()}
    return files | {
        "matrix-market/one-long-line":
            {"g.mtx.bz2": _long_line(_HEAD)},
        "matching/one-long-line": {"m.json.bz2": _long_line("")},
        "named/many-vertices": {"g.net": b"*Vertices 1000000000\n"},
        "named/no-utf-8": {"g.net": b'*Vertices 2\n1 "\xff"\n*Edges\n1 2\n'},
        "metis/25-digits": {"g.graph": b"1%s 0\n" % (b"0" * 24)},
        "folder/header-of-brackets": _folder(json.dumps(meta), with_head(b"(" * 300, b"")),
        "folder/header-of-nothing": _folder(json.dumps(meta), with_head(b"{'descr':", b"")),
        "folder/deep-json": _folder("[" * 100_000, b""),
        "npz/bsr-of-nothing": _scipy(b"bsr", indptr=one, indices=one,
                                     data=npy("<f8", (0, 10**6, 10**6), b"")),
        "npz/dia-of-nothing": _scipy(b"dia", offsets=one, data=npy("<f8", (0, 10**30), b"")),
        "npz/format-of-bytes": _scipy(b"\xff\xfe", data=one),
        "npz/header-of-minus": _scipy(b"csr", data=with_head(b"-" * 8999, b"")),
        "greedy/no-code-point": {"m.npz": _npz(
            mate=npy("<i4", (2,), b"\xff" * 8), weight=npy("<f8", (), bytes(8)),
            is_maximal=npy("|b1", (), b"\1"), method=npy("<U1", (), b"\xff" * 4))},
        "parquet/footer": {"g.parquet": b"PAR1" + b"\xff" * 40 + b"\x20\0\0\0PAR1"},
        "parquet/one-name-twice": _parquet(["row", "row"], [0, 1]),
        "parquet/far-vertex": _parquet(["row", "col"], [10**13]),
    }  # fmt: skip


if __name__ == "__main__":
    for name, files in seeds().items():
        put(files, Path(CORPUS, name))
