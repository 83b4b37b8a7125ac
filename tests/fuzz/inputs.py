"""Files of every format that berge reads: sound ones, and what mutators make of them.

``make(target, seed)`` returns the files of one input by their names; the first part of the first
name is what is read. The same two make the same bytes. Folders that note checksums get them right
again after most changes: else nothing behind the checksums would ever be tried.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import berge
from berge.files.manifest import digest, fingerprint

from . import mutate
from .mutate import COMPRESS, in_bytes, in_json, in_npy, in_text, npy, times
from .targets import JOB

Files = dict[str, bytes]
_BOMB = 1 << 26  # bytes of text in what a few hundred bytes unpack to


def make(target: str, seed: int) -> Files:
    """Return the files of an input."""
    return MAKERS[target](Random(f"{target} {seed}"))


def _edges(rng: Random, n: int, m: int) -> list[tuple[int, int]]:
    return [(rng.randrange(n), rng.randrange(m)) for _ in range(rng.randrange(13))] if n * m else []


def _sizes(rng: Random) -> tuple[int, int]:
    return rng.randrange(9), rng.randrange(9)


def _value(rng: Random) -> str:
    return rng.choice((str(rng.randrange(-3, 9)), f"{rng.uniform(-9, 9):.3g}", "0", "1e-3"))


def _text(rng: Random, name: str, text: str) -> Files:
    """Return text changed here and there, and perhaps compressed."""
    data = text.encode()
    if rng.random() < 0.1:
        data = data.replace(b"\n", rng.choice((b"\r\n", b"\n\n", b" \n", b"\r")))
    for _ in times(rng):
        data = in_text(rng, data)
    if rng.random() < 0.12:
        suffix = rng.choice(sorted(COMPRESS))
        name += suffix
        data = _bomb(suffix, data[:200]) if rng.random() < 0.004 else COMPRESS[suffix](data)
        if rng.random() < 0.4:
            data = in_bytes(rng, data)
    return {name: data}


def _bomb(suffix: str, start: bytes) -> bytes:
    """Return what unpacks to a start and then one long line, or many empty ones."""
    return COMPRESS[suffix](start) + _unpacks_to(suffix, b" \n1"[zlib.crc32(start) % 3])


@cache
def _unpacks_to(suffix: str, byte: int) -> bytes:
    size = _BOMB // 64 if byte == ord("\n") else _BOMB  # csv takes seconds for so many lines
    return COMPRESS[suffix](bytes([byte]) * size)


def matrix_market(rng: Random) -> Files:
    """Every kind of header; values as the field asks for."""
    kind = rng.choice(("coordinate", "coordinate", "coordinate", "array"))
    field = rng.choice(("real", "integer", "complex", "pattern", "double", "unsigned-integer"))
    symmetry = rng.choice(("general", "general", "symmetric", "skew-symmetric", "hermitian"))
    n, m = _sizes(rng)
    m = n if symmetry != "general" or rng.random() < 0.5 else m
    dense = [(i, j) for j in range(m) for i in range(n)]
    edges = _edges(rng, n, m) if kind == "coordinate" else dense
    if symmetry != "general":
        edges = [(max(e), min(e)) for e in edges if symmetry != "skew-symmetric" or e[0] != e[1]]
        edges = edges if kind == "coordinate" else sorted(set(edges), key=lambda e: e[::-1])
    values = {"pattern": 0, "complex": 2}.get(field, 1)
    lines = [f"%%MatrixMarket matrix {kind} {field} {symmetry}"]
    lines += ["% a comment"] * rng.randrange(2)
    lines.append(f"{n} {m} {len(edges)}" if kind == "coordinate" else f"{n} {m}")
    for i, j in edges:
        numbers = [str(i + 1), str(j + 1)] if kind == "coordinate" else []
        whole = field in ("integer", "unsigned-integer")
        numbers += [str(rng.randrange(9)) if whole else _value(rng) for _ in range(values)]
        lines.append(" ".join(numbers))
    return _text(rng, "g.mtx", "\n".join(lines) + rng.choice(("\n", "")))


def edge_list(rng: Random) -> Files:
    """With and without a line of words, sizes, weights; any separator."""
    n, m = _sizes(rng)
    between = rng.choice((" ", "\t", ",", ";", ", ", "  "))
    lines = []
    edges = _edges(rng, n, m)
    if rng.random() < 0.3:
        lines.append(f"# rows {n} cols {m} entries {len(edges)}")
    if rng.random() < 0.3:
        lines.append(between.join(("row", "col", "weight")))
    for i, j in edges:
        lines.append(between.join((str(i), str(j), *[_value(rng)] * rng.choice((0, 1, 1)))))
    suffix = rng.choice((".txt", ".csv", ".tsv", ".el", ".edges"))
    return _text(rng, f"g{suffix}", "\n".join(lines) + "\n")


def metis(rng: Random) -> Files:
    """Every fmt, with sizes, several weights of vertices, and weights of edges."""
    n = rng.randrange(9)
    edges = {(min(e), max(e)) for e in _edges(rng, n, n) if e[0] != e[1]}
    fmt = rng.choice(("", "", "0", "1", "10", "11", "011", "100", "111"))
    constraints = rng.choice((1, 1, 2)) if fmt[-2:-1] == "1" else 0
    size = len(fmt) == 3 and fmt[0] == "1"
    weighed = fmt[-1:] == "1"
    weight = {edge: rng.randrange(1, 9) for edge in sorted(edges)}
    head = f"{n} {len(edges)} {fmt}" + (f" {constraints}" if constraints > 1 else "")
    lines = [*["% a comment"] * rng.randrange(2), head]
    for v in range(n):
        numbers = [rng.randrange(9) for _ in range(size + constraints)]
        for edge in sorted(edges):
            if v in edge:
                other = edge[0] + edge[1] - v
                numbers += [other + 1, *[weight[edge]] * weighed]
        lines.append(" ".join(map(str, numbers)))
    return _text(rng, rng.choice(("g.graph", "g.metis")), "\n".join(lines) + "\n")


def hmetis(rng: Random) -> Files:
    """Every fmt, with weights of nets and of vertices."""
    nets, n = rng.randrange(7), rng.randrange(1, 7)
    fmt = rng.choice(("", "0", "1", "10", "11"))
    lines = [*["% a comment"] * rng.randrange(2), f"{nets} {n} {fmt}"]
    for _ in range(nets):
        pins = sorted(rng.sample(range(1, n + 1), rng.randrange(1, n + 1)))
        lead = [rng.randrange(9)] if fmt[-1:] == "1" else []
        lines.append(" ".join(map(str, lead + pins)))
    lines += [str(rng.randrange(9)) for _ in range(n if fmt[:1] == "1" and len(fmt) == 2 else 0)]
    return _text(rng, "g.hgr", "\n".join(lines) + "\n")


def dimacs(rng: Random) -> Files:
    """Arcs with weights, or edges."""
    n = rng.randrange(9)
    problem = rng.choice(("sp", "edge", "col"))
    edges = _edges(rng, n, n)
    lines = [*["c a comment"] * rng.randrange(2), f"p {problem} {n} {len(edges)}"]
    lines += [f"a {i + 1} {j + 1} {_value(rng)}" if problem == "sp" else f"e {i + 1} {j + 1}"
              for i, j in edges]  # fmt: skip
    return _text(rng, "g.gr", "\n".join(lines) + "\n")


def labels(rng: Random) -> Files:
    """Tables of names, quoted and not."""
    between = rng.choice((",", ";", "\t"))
    names = ("ann", '"b, c"', "é", "0", "=1+1", "", '"two ""words"""', "x" * 50)
    lines = [between.join(("job", "worker", "pay")[: rng.randrange(1, 4)])]
    lines += [between.join(rng.choice(names) for _ in range(rng.choice((2, 2, 3))))
              for _ in range(rng.randrange(9))]  # fmt: skip
    return _text(rng, rng.choice(("g.csv", "g.tsv")), "\n".join(lines) + "\n")


def _array(rng: Random, values: Any, kinds: tuple[str, ...] = ("<i4", "<i8")) -> bytes:
    array = np.array(values).astype(rng.choice(kinds))
    return npy(array.dtype.str, array.shape, array.tobytes())


def _archive(rng: Random, name: str, members: Files) -> Files:
    """Return a zip file of arrays, with something wrong in the arrays, their names, or the zip."""
    members = dict(members)
    for _ in times(rng):
        place = rng.choice(sorted(members))
        match rng.randrange(8):
            case 0:
                del members[place]
                if not members:
                    break
            case 1:
                members[rng.choice(sorted(members))] = members[place]
            case _:
                members[place] = in_npy(rng, members[place])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", rng.choice((0, 0, 8, 8, 12))) as file:
        for place, content in members.items():
            file.writestr(zipfile.ZipInfo(f"{place}.npy"), content, file.compression)
    data = buffer.getvalue()
    if rng.random() < 0.2:
        for _ in times(rng):
            data = in_bytes(rng, data)
    return {name: data}


def npz(rng: Random) -> Files:
    """Ours and every format of scipy's."""
    n, m = _sizes(rng)
    kind = rng.choice(("", "csr", "csc", "coo", "bsr", "dia"))
    m = n if rng.random() < 0.5 else m
    edges = sorted(_edges(rng, n, m)) if kind != "csc" else sorted(_edges(rng, m, n))
    rows, cols = [e[0] for e in edges], [e[1] for e in edges]
    lines = m if kind == "csc" else n
    members = {"shape": _array(rng, [n, m], ("<i8", "<i4"))}
    weights = _array(rng, [rng.uniform(-9, 9) for _ in edges], ("<f8", "<f4", "<i4", "<c16", "|b1"))
    if kind:
        form = kind.encode() if rng.random() < 0.95 else rng.choice((b"\xff\xfe", b"lil", b""))
        members["format"] = npy(f"|S{len(form)}", (), form)
    if kind in ("", "csr", "csc"):
        members["indptr"] = _array(rng, np.searchsorted(rows, range(lines + 1)))
        members["indices"] = _array(rng, cols)
        if kind or rng.random() < 0.5:
            members["data"] = weights
    elif kind == "coo":
        members |= {"row": _array(rng, rows), "col": _array(rng, cols), "data": weights}
    elif kind == "bsr":
        blocks = sorted({(rng.randrange(2), rng.randrange(2)) for _ in range(3)})
        members["shape"] = _array(rng, [4, 4])
        members["indptr"] = _array(rng, np.searchsorted([b[0] for b in blocks], range(3)))
        members["indices"] = _array(rng, [b[1] for b in blocks])
        members["data"] = _array(rng, np.ones((len(blocks), 2, 2)), ("<f8",))
    else:
        offsets = rng.sample(range(-4, 5), 2)
        members["offsets"] = _array(rng, offsets)
        members["data"] = _array(rng, np.ones((2, max(1, m))), ("<f8", "<i4"))
    return _archive(rng, "g.npz", members)


def _table(rng: Random) -> Any:
    """Return columns of many types and names."""
    import pyarrow

    n, m = _sizes(rng)
    edges = _edges(rng, n, m)
    large = rng.choice((2**31, 2**62, 2**63 - 1, 10**13, -1))
    columns = []
    for side in range(rng.choice((1, 2, 2, 2, 2, 3))):
        values: list[Any] = [edge[side % 2] for edge in edges]
        if values and rng.random() < 0.15:
            values[rng.randrange(len(values))] = rng.choice((None, large))
        kinds = ("int64", "int64", "int64", "int32", "uint64", "uint8", "float64", "string")
        try:
            columns.append(pyarrow.array(values, rng.choice(kinds)))
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
            columns.append(pyarrow.array(list(map(str, values))))
    names = rng.choice((["row", "col", "w"], ["row", "row", "w"], ["", "é", "\0"]))[: len(columns)]
    return pyarrow.Table.from_arrays(columns, names)


def arrow(rng: Random) -> Files:
    """The same in Arrow's own format, of which any length may lie."""
    import pyarrow.ipc

    table, buffer = _table(rng), io.BytesIO()
    options = pyarrow.ipc.IpcWriteOptions(compression=rng.choice((None, None, "lz4", "zstd")))
    with pyarrow.ipc.new_file(buffer, table.schema, options=options) as writer:
        writer.write_table(table, rng.choice((None, None, 3)))
    data = buffer.getvalue()
    for _ in times(rng):
        i = 8 * rng.randrange(len(data) // 8 + 1)
        number = rng.choice((0, 1, 3, 9, -1, 64, 2**16, 2**31 - 1, 2**33, 2**62, -(2**63)))
        whole = data[:i] + number.to_bytes(8, "little", signed=True) + data[i + 8 :]
        data = rng.choice((whole, in_bytes(rng, data)))
    return {rng.choice(("g.arrow", "g.feather")): data}


def named(rng: Random) -> Files:
    """A GraphML or a Pajek file."""
    n = rng.randrange(9)
    edges = _edges(rng, n, n)
    weight = rng.random() < 0.5
    if rng.random() < 0.5:
        lines = [
            rng.choice(("", "*Network x\n")) + f"*Vertices {n}" + rng.choice(("", f" {n // 2}"))
        ]
        lines += [f'{v + 1} "{rng.choice("abé")}{v}"' for v in range(n) if rng.random() < 0.8]
        lines.append(rng.choice(("*Edges", "*Arcs", "*edgeslist", "*Matrix", "*Partition")))
        lines += [f"{u + 1} {v + 1}" + f" {_value(rng)}" * weight for u, v in edges]
        return _text(rng, "g.net", "\n".join(lines) + "\n")
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
             '<key id="t" for="node" attr.name="type" attr.type="boolean"/>',
             '<key id="w" for="edge" attr.name="weight" attr.type="double"/>',
             '<graph edgedefault="undirected">']  # fmt: skip
    if rng.random() < 0.05:  # entities in entities, and one of another file
        inside = zip("bcdefghij", "abcdefghi", strict=True)
        lines[1:1] = ['<!DOCTYPE g [<!ENTITY a "aaaaaaaaaa">',
                      *(f'<!ENTITY {x} "{f"&{y};" * 10}">' for x, y in inside),
                      '<!ENTITY f SYSTEM "file:///etc/hostname">]>']  # fmt: skip
    name = rng.choice(("n{}", "{}", "n{} &amp; é", "&j;{}", "&f;{}"))
    for v in range(n):
        side = f'<data key="t">{"false" if v % 2 else "true"}</data>'
        lines.append(f'<node id="{name.format(v)}">{side}</node>')
    for u, v in edges:
        data = f'<data key="w">{_value(rng)}</data>' * weight
        lines.append(f'<edge source="{name.format(u)}" target="{name.format(v)}">{data}</edge>')
    return _text(rng, "g.graphml", "\n".join([*lines, "</graph></graphml>"]) + "\n")


def parquet(rng: Random) -> Files:
    """Columns of many types and names, in one file or a folder of them."""
    import pyarrow.parquet

    buffer = io.BytesIO()
    compression = rng.choice(("none", "snappy", "gzip", "zstd"))
    pyarrow.parquet.write_table(_table(rng), buffer, compression=compression)
    data = buffer.getvalue()
    for _ in times(rng):
        # The footer, which says where everything is, is at the end.
        cut = rng.choice((0, max(0, len(data) - 600)))
        data = data[:cut] + in_bytes(rng, data[cut:])
    if rng.random() < 0.1:
        return {"g.parquet/a.parquet": data, "g.parquet/b.parquet": in_bytes(rng, data)}
    return {"g.parquet": data}


def folder(rng: Random) -> Files:
    """A .berge folder; checksums and fingerprint are right again after most changes."""
    n, m = _sizes(rng)
    edges = sorted(set(_edges(rng, n, m)))
    indptr = np.searchsorted([e[0] for e in edges], range(n + 1)).astype(np.int64)
    files = {"indptr": npy("<i8", (n + 1,), indptr.tobytes()),
             "indices": npy("<i4", (len(edges),),
                            np.array([e[1] for e in edges], np.int32).tobytes())}  # fmt: skip
    meta: Any = {"format": "berge", "version": 1, "rows": n, "cols": m, "edges": len(edges),
                 "dtypes": {"indptr": "int64", "indices": "int32"}}  # fmt: skip
    meta["checksums"] = _sums(files)
    for _ in times(rng):
        if rng.random() < 0.4:
            meta = mutate.in_tree(rng, meta)
        else:
            name = rng.choice(sorted(files))
            files[name] = in_npy(rng, files[name])
    if isinstance(meta, dict) and rng.random() < 0.8:
        if rng.random() < 0.7:
            meta["checksums"] = _sums(files)
        with suppress(KeyError, TypeError):
            shape = meta["rows"], meta["cols"]
            meta["fingerprint"] = fingerprint(shape, meta["edges"], meta["checksums"])
    text = json.dumps(meta).encode()
    made = {"g.berge/meta.json": in_json(rng, text) if rng.random() < 0.1 else text}
    return made | {f"g.berge/{name}.npy": data for name, data in files.items()}


def _sums(files: Files) -> dict[str, list[int]]:
    start = 10 + 118  # of the content, where the header is as long as ours
    contents = {name: data[start:] for name, data in files.items()}
    return {name: [zlib.crc32(data)] if data else [] for name, data in contents.items()}


def matching(rng: Random) -> Files:
    """A matching of a bipartite graph in .npz, .txt or .json."""
    n, m = _sizes(rng)
    k = rng.randrange(min(n, m) + 1)
    pairs = list(zip(rng.sample(range(n), k), rng.sample(range(m), k), strict=True))
    bound = k + rng.randrange(2)
    match rng.randrange(3):
        case 0:
            lines = [f"# rows {n} cols {m} matched {k} upper_bound {bound}"]
            return _text(rng, "m.txt", "\n".join([*lines, *(f"{i} {j}" for i, j in pairs)]) + "\n")
        case 1:
            facts = {"shape": [n, m], "cardinality": k, "upper_bound": bound, "pairs": pairs,
                     "is_maximum": k == bound}  # fmt: skip
            data = json.dumps(facts).encode()
            for _ in times(rng):
                data = in_json(rng, data)
            suffix = rng.choice(("", "", "", *COMPRESS))
            return {f"m.json{suffix}": COMPRESS[suffix](data) if suffix else data}
        case _:
            row_match, col_match = [-1] * n, [-1] * m
            for i, j in pairs:
                row_match[i], col_match[j] = j, i
            members = {"row_match": _array(rng, row_match), "col_match": _array(rng, col_match),
                       "upper_bound": _array(rng, bound)}  # fmt: skip
            return _archive(rng, "m.npz", members)


def greedy(rng: Random) -> Files:
    """A matching of a general graph in .npz or .txt."""
    n = rng.randrange(9)
    k = rng.randrange(n // 2 + 1)
    ends = rng.sample(range(n), 2 * k)
    pairs = list(zip(ends[:k], ends[k:], strict=True))
    if rng.random() < 0.5:
        more = rng.choice(("", f" weight {k}.0 maximal no method suitor"))
        head = f"# vertices {n} pairs {k}{more}"
        return _text(rng, "m.txt", "\n".join([head, *(f"{i} {j}" for i, j in pairs)]) + "\n")
    mate = [-1] * n
    for i, j in pairs:
        mate[i], mate[j] = j, i
    word = rng.choice(("suitor", "é", "")).encode("utf-32-le")
    word = word if rng.random() < 0.9 else b"\xff\xff\xff\xff"
    weight = rng.choice((float(k), float(k), float("inf"), float("nan"), -1.0))
    members = {"mate": _array(rng, mate), "weight": _array(rng, weight, ("<f8",)),
               "is_maximal": _array(rng, False, ("|b1",)),
               "method": npy(f"<U{len(word) // 4}", (), word)}  # fmt: skip
    return _archive(rng, "m.npz", members)


@cache
def _answers(kind: str) -> list[Files]:
    """Return what answers of the chain and the triangle of `targets` have in their files."""
    from .targets import COSTS, PAIRS

    answers: list[Any] = []
    if kind == "assignment":
        for objective, match in (("min", "full"), ("max", "any"), ("bottleneck", "maximum")):
            answers += [berge.assign(costs, objective=objective, match=match)
                        for costs in (COSTS, np.array(COSTS) / 4)]  # fmt: skip
    elif kind == "units":
        answers.append(
            berge.maximum_matching(PAIRS[:2], capacity_left=2, capacity_right=[1, 2, 1, 1])
        )
    else:
        for weights in (PAIRS[2], np.array(PAIRS[2]) / 4):
            for asked in ({}, {"maxcardinality": True}, {"minimise": True}):
                answers.append(berge.maximum_weight_matching((*PAIRS[:2], weights), **asked))
    with tempfile.TemporaryDirectory() as place:
        found = []
        for answer in answers:
            for suffix in (".npz",) if kind == "odd-sets" else (".npz", ".json"):
                path = Path(place, f"m{suffix}")
                answer.save(path)
                found.append({path.name: path.read_bytes()})
        return found


def _answer(rng: Random, kind: str) -> Files:
    """Return a file with an answer and its proof, of which something is changed."""
    ((name, data),) = rng.choice(_answers(kind)).items()
    if name.endswith(".json"):
        for _ in times(rng):
            data = in_json(rng, data)
        return {name: data}
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        members = {entry.removesuffix(".npy"): file.read(entry) for entry in file.namelist()}
    return _archive(rng, name, members)


def assignment(rng: Random) -> Files:
    """The best assignment of a matrix, with its prices."""
    return _answer(rng, "assignment")


def units(rng: Random) -> Files:
    """A matching with capacities, with its cover."""
    return _answer(rng, "units")


def odd_sets(rng: Random) -> Files:
    """A heaviest matching of a triangle with a tail, with its prices."""
    return _answer(rng, "odd-sets")


@cache
def _written(kind: str) -> Files:
    """Return what berge writes into a folder: parts, a checkpoint, levels, half a conversion."""
    from berge.distributed.checkpoint import Checkpoint
    from berge.distributed.communicator import Alone
    from berge.distributed.core import match_part
    from berge.distributed.part import Part
    from berge.files import convert, parts
    from berge.files.streams import open_stream

    graph = berge.generate.chain(9)
    with tempfile.TemporaryDirectory() as place:
        made, source = Path(place, "made"), Path(place, "g.txt")
        if kind == "parts":
            found = berge.maximum_matching(graph)
            cover = found.prove(graph)
            halves = []
            for k, rows in enumerate((range(4), range(4, 9))):
                cut = slice(rows.start, rows.stop)
                arrays = {"row_match": found.row_match[cut], "col_match": found.col_match[cut],
                          "row_cover": cover.rows[cut], "col_cover": cover.cols[cut]}  # fmt: skip
                halves.append(parts.write_part(Path(place, "aside"), (k, 2), rows, rows, arrays))
            facts = {"cardinality": 9, "upper_bound": 9, "cover": [9, 0]}
            parts.complete(Path(place, "aside"), made, graph.shape, facts, halves)
            Path(place, "aside").rename(made)
        elif kind == "checkpoint":
            match_part(Part.from_graph(graph, 0, 1), Alone(), checkpoint=Checkpoint(made))
        elif kind == "levels":
            berge.coarsen(berge.generate.grid(5, 5), until=6, seed=0).save(made)
        else:
            berge.write(graph, source)
            stream = open_stream(source, "edge-list")
            made.mkdir()
            convert._begin(made, stream, 1 << 20)
            convert._read(made, stream, 5, lambda *_: None)
            files = {p.name: p.read_bytes() for p in sorted(made.iterdir())}
            return files | {"job.json": JOB, "g.txt": source.read_bytes()}
        return {p.name: p.read_bytes() for p in sorted(made.iterdir()) if p.name != "lock"}


def _changed(rng: Random, files: Files) -> Files:
    """Return files of a folder, some changed as their suffix asks for."""
    files = dict(files)
    how = {".json": in_json, ".npy": in_npy, ".graph": in_text}
    for _ in times(rng):
        name = rng.choice(sorted(files))
        if rng.random() < 0.05:
            files[name] = b""
        else:
            files[name] = how.get(Path(name).suffix, in_bytes)(rng, files[name])
    return files


def matching_parts(rng: Random) -> Files:
    """A matching as a folder of parts, with the right digests after most changes."""
    files = _changed(rng, _written("parts"))
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        meta = json.loads(files["meta.json"])
        if rng.random() < 0.8:
            for part in meta["parts"]:
                for name in part["files"]:
                    part["files"][name] = hashlib.sha256(files[name]).hexdigest()
            files["meta.json"] = json.dumps(meta).encode()
    return {f"m/{name}": data for name, data in files.items()}


def checkpoint(rng: Random) -> Files:
    """A checkpoint of a chain of nine, with the right digests after most changes."""
    written = _written("checkpoint")
    files = _changed(rng, written)
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        content = json.loads(files["manifest.json"])
        for entry in content["files"]:
            if rng.random() < 0.1:
                entry["name"] = rng.choice(mutate.NAMES)
        if rng.random() < 0.8:
            for entry in content["files"]:
                if entry["name"] in files:
                    entry["sha256"] = hashlib.sha256(files[entry["name"]]).hexdigest()
            content.pop("sha256", None)
            files["manifest.json"] = json.dumps(content | {"sha256": digest(content)}).encode()
    return {f"ck/{name}": data for name, data in files.items()}


def hierarchy(rng: Random) -> Files:
    """The folder of a coarsening."""
    return {f"h/{name}": data for name, data in _changed(rng, _written("levels")).items()}


def converting(rng: Random) -> Files:
    """The work folder of a conversion that was broken off."""
    written = dict(_written("convert"))
    source = written.pop("g.txt")
    files = {f"g.berge.partial/{name}": data for name, data in _changed(rng, written).items()}
    return {"g.txt": source} | files


def suitesparse(rng: Random) -> Files:
    """An archive of the collection, as it comes from the network."""
    (text,) = matrix_market(rng).values()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        name = rng.choice(("a/a.mtx",) * 8 + ("./a/a.mtx", "../a.mtx", "/a/a.mtx", "b/b.mtx"))
        member = tarfile.TarInfo(name)
        member.size = len(text)
        member.type = rng.choice((tarfile.REGTYPE,) * 9 + (tarfile.SYMTYPE, tarfile.LNKTYPE))
        member.linkname = rng.choice(("", "/etc/passwd", "a/a.mtx"))
        tar.addfile(member, io.BytesIO(text))
    data = buffer.getvalue()
    for _ in times(rng):
        cut = rng.choice((0, 512, len(data)))  # mostly in the header
        data = in_bytes(rng, data[:cut]) + data[cut:]
    data = gzip.compress(data, 1, mtime=0)
    return {"suitesparse/a/a.tar.gz": in_bytes(rng, data) if rng.random() < 0.2 else data}


def portions(rng: Random) -> Files:
    """A file of a format that is read in portions."""
    return rng.choice((matrix_market, edge_list, parquet, arrow))(rng)


def independent(rng: Random) -> Files:
    """A graph in any format."""
    return rng.choice(
        (matrix_market, edge_list, metis, hmetis, dimacs, npz, parquet, arrow, folder)
    )(rng)


def independent_matching(rng: Random) -> Files:
    """A matching in any format."""
    return rng.choice((matching, greedy, matching_parts, matching_parts))(rng)


def suite(rng: Random) -> Files:
    """A suite of the lab, in TOML."""
    text = rng.choice(sorted(_suites()))
    data = text.encode()
    for _ in times(rng):
        data = in_text(rng, data)
    return {"s.toml": data}


@cache
def _suites() -> set[str]:
    from berge_lab.bench.suite import BUILT_IN

    return {path.read_text() for path in BUILT_IN.values()}


def results(rng: Random) -> Files:
    """Lines of results of the lab."""
    lines = []
    for graph, setting in (("a", "auto"), ("b", "auto"), ("a", "scipy"), ("c", "auto")):
        status = rng.choice(("ok", "ok", "time limit", "failed"))
        row = {"format": 1, "graph": graph, "setting": setting, "status": status, "time_limit": 9.0,
               "peer": "scipy" if setting == "scipy" else None, "seconds": [0.5, 0.25],
               "gather_seconds": [0.1], "convert_seconds": None, "memory": 2**23, "rows": 9,
               "cols": 9, "edges": 30, "source": {"generate": "chain"}, "machine": {}}  # fmt: skip
        data = json.dumps(row).encode()
        for _ in times(rng) if rng.random() < 0.3 else ():
            data = in_json(rng, data)
        lines.append(data)
    data = b"\n".join([*lines, b""])
    return {"r.jsonl": in_text(rng, data) if rng.random() < 0.2 else data}


MAKERS: dict[str, Callable[[Random], Files]] = {
    "matrix-market": matrix_market,
    "edge-list": edge_list,
    "metis": metis,
    "hmetis": hmetis,
    "dimacs": dimacs,
    "labels": labels,
    "npz": npz,
    "parquet": parquet,
    "arrow": arrow,
    "named": named,
    "folder": folder,
    "matching": matching,
    "greedy": greedy,
    "assignment": assignment,
    "units": units,
    "odd-sets": odd_sets,
    "matching-parts": matching_parts,
    "checkpoint": checkpoint,
    "hierarchy": hierarchy,
    "converting": converting,
    "suitesparse": suitesparse,
    "portions": portions,
    "independent": independent,
    "independent-matching": independent_matching,
    "suite": suite,
    "results": results,
}
