"""NumPy archives: ours, scipy's in every format, and what is refused before it is allocated."""

from __future__ import annotations

import io
import re
import zipfile

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge.errors import FormatError
from berge.files.matchings import read_vertex_matching


def edges(graph):
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    return graph.shape, sorted(zip(rows.tolist(), graph.indices.tolist(), strict=True))


def archive_of(path, **arrays):
    np.savez(path, **arrays)
    return path


def npy(array, old=b"", new=b""):
    """Return the bytes of an .npy file, with a part of its header replaced."""
    file = io.BytesIO()
    np.save(file, array)
    content = file.getvalue()
    assert old in content
    return content.replace(old, new.ljust(len(old)), 1)


def zip_of(path, members, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


SOUND = {
    "indptr": npy(np.array([0, 1, 2])),
    "indices": npy(np.array([1, 0])),
    "shape": npy(np.array([2, 2])),
}


@pytest.mark.parametrize("cls", ["array", "matrix"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("compressed", [False, True])
def test_scipy_archives(tmp_path, form, cls, compressed):
    dense = np.random.default_rng(1).integers(0, 2, (4, 6)) * np.arange(1, 7)
    matrix = getattr(scipy.sparse, f"{form}_{cls}")(dense)
    if form == "bsr":
        matrix = matrix.tobsr(blocksize=(2, 3))
        assert matrix.blocksize == (2, 3)
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix, compressed=compressed)
    expected = matrix.tocsr().tocoo()
    found = edges(berge.read(tmp_path / "a.npz"))
    assert found[0] == (4, 6)
    assert found[1] == sorted(zip(expected.row.tolist(), expected.col.tolist(), strict=True))
    assert found[1]


def test_stored_zeros_are_edges(tmp_path):
    matrix = scipy.sparse.csr_array((np.zeros(2), [0, 1], [0, 1, 2]), shape=(2, 2))
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
    assert edges(berge.read(tmp_path / "a.npz")) == ((2, 2), [(0, 0), (1, 1)])


def test_dia_with_diagonals_outside(tmp_path):
    matrix = scipy.sparse.dia_array((np.arange(1, 13).reshape(3, 4), [-5, -1, 9]), shape=(3, 4))
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
    expected = matrix.tocoo()
    assert edges(berge.read(tmp_path / "a.npz"))[1] == sorted(
        zip(expected.row.tolist(), expected.col.tolist(), strict=True)
    )


@pytest.mark.parametrize("kind", ["<i4", ">i4", "<i8", ">i8", "<u2", "i1"])
def test_integer_types(tmp_path, kind):
    path = archive_of(
        tmp_path / "a.npz",
        indptr=np.array([0, 1, 2], kind),
        indices=np.array([1, 0], kind),
        shape=np.array([2, 2], kind),
    )
    assert edges(berge.read(path)) == ((2, 2), [(0, 1), (1, 0)])


def test_written_archive(tmp_path):
    berge.write(berge.BipartiteGraph([0, 1, 2], [1, 0], (2, 3)), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as archive:
        assert sorted(archive) == ["indices", "indptr", "shape"]
        assert archive["shape"].dtype == np.int64
        assert archive["shape"].tolist() == [2, 3]
    assert berge.read(tmp_path / "a.npz").indices.tolist() == [1, 0]


HUGE = b"(99999999999999,), }"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indptr": None}, "no array 'indptr'"),
        ({"shape": None}, "no array 'shape'"),
        ({"shape": npy(np.array([2, 2, 2]))}, r"'shape' must be two whole numbers ≥ 0"),
        ({"shape": npy(np.array([2, -2]))}, r"'shape' must be two whole numbers ≥ 0"),
        ({"shape": npy(np.array([2.0, 2.0]))}, r"'shape' must not be an array of float64"),
        ({"shape": npy(np.array([10**15, 1]))}, "do not fit in memory"),
        ({"indices": npy(np.array([1.0, 0.0]))}, "'indices' must not be an array of float64"),
        ({"indices": npy(np.array([[1, 0]]))}, r"'indices' must not be .* shape \(1, 2\)"),
        ({"indices": npy(np.array([1, 5]))}, r"indices\[1\] = 5 is not in 0 … 1"),
        ({"indptr": npy(np.array([0, 2, 1]))}, "indptr falls"),
        ({"format": npy(np.array(b"xyz"))}, "format 'xyz' is not one of"),
        ({"format": npy(np.array(3))}, "'format' must not be"),
        ({"indices": npy(np.array([1, 0]), b"(2,), }" + b" " * 15, HUGE)}, "but has 16 bytes"),
        ({"indices": npy(np.array([1, 0]), b"(2,), }", b"(-2,),}")}, "a header that is none"),
        ({"indices": npy(np.array([1, 0]), b"(2,)", b"(3,)")}, "but has 16 bytes"),
        ({"indices": npy(np.array([1, 0]))[:-3]}, "but has 13 bytes"),
        ({"indices": npy(np.array([1, 0]), b"NUMPY\x01", b"NUMPY\x09")}, "'indices' is damaged"),
        ({"indices": npy(np.array([1, 0]), b"shape", b"shade")}, "'indices' is damaged"),
        ({"indices": b"no npy"}, "'indices' is damaged"),
        ({"indices": b""}, "'indices' is damaged"),
        ({"indices": npy(np.zeros(2, "S0"))}, "'indices'"),
    ],
)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_refused(tmp_path, change, message, method):
    members = {k: v for k, v in (SOUND | change).items() if v is not None}
    path = zip_of(tmp_path / "a.npz", members, method)
    with pytest.raises(FormatError, match=message) as caught:
        berge.read(path)
    assert caught.value.path == str(path)


def test_objects_are_refused(tmp_path):
    class Bad:
        def __reduce__(self):
            return (pytest.fail, ("code ran",))

    path = tmp_path / "a.npz"
    np.savez(path, indptr=[0, 1], shape=[1, 1], indices=np.array([Bad()], object))
    with pytest.raises(FormatError, match="'indices' is damaged: holds Python objects"):
        berge.read(path)


def test_sizes_that_cannot_be(tmp_path):
    path = zip_of(tmp_path / "a.npz", SOUND, zipfile.ZIP_DEFLATED)
    content = bytearray(path.read_bytes())
    # The size of the first member in the central directory.
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (2**31 - 1).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(FormatError, match=f"'indptr' claims {2**31 - 1} bytes, too many"):
        berge.read(path)
    zip_of(path, SOUND, zipfile.ZIP_BZIP2)
    with pytest.raises(FormatError, match="compressed in a way"):
        berge.read(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_wrong_checksum(tmp_path, method):
    path = zip_of(tmp_path / "a.npz", SOUND, method)
    content = bytearray(path.read_bytes())
    # The checksum of the second member in the central directory.
    at = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 4) + 16
    content[at] ^= 1
    path.write_bytes(content)
    with pytest.raises(FormatError, match="'indices' is damaged: Bad CRC-32"):
        berge.read(path)


def test_blocks_that_do_not_fit(tmp_path):
    sound = {"format": np.array(b"bsr"), "indptr": [0, 1], "indices": [0], "shape": [2, 2]}
    path = tmp_path / "a.npz"
    assert edges(berge.read(archive_of(path, **sound, data=np.ones((1, 2, 2)))))[1] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]
    for shape, message in (
        ((2, 2, 2), "'data' of 1 blocks has shape"),
        ((1, 2), "'data' of 1 blocks has shape"),
        ((1, 0, 2), "'data' of 1 blocks has shape"),
        ((1, 2, 3), "cannot be cut into blocks"),
    ):
        with pytest.raises(FormatError, match=message):
            berge.read(archive_of(path, **sound, data=np.ones(shape)))
    with pytest.raises(FormatError, match="1 offsets for 2 diagonals"):
        berge.read(
            archive_of(
                path, format=np.array(b"dia"), shape=[2, 2], offsets=[0], data=np.ones((2, 2))
            )
        )


def test_blocks_and_diagonals_of_nothing(tmp_path):
    path = tmp_path / "a.npz"
    blocks = {"indptr": [0, 0], "indices": np.zeros(0, int), "data": np.zeros((0, 1, 1))}
    huge = npy(np.zeros((0, 1, 1)), b"(0, 1, 1), }" + b" " * 20, b"(0, 1000000, 1000000), }")
    members = {name: npy(np.array(array)) for name, array in blocks.items()}
    members |= {"format": npy(np.array(b"bsr")), "shape": npy(np.array([10**6] * 2)), "data": huge}
    assert berge.read(zip_of(path, members)).nnz == 0
    members = {"format": npy(np.array(b"dia")), "shape": npy(np.array([2, 2]))}
    members["offsets"] = npy(np.zeros(0, int))
    wide = b"(0, 1%s), }" % (b"0" * 30)
    members["data"] = npy(np.zeros((0, 1)), b"(0, 1), }".ljust(len(wide)), wide)
    with pytest.raises(FormatError, match="'data' is damaged: has a header that is none"):
        berge.read(zip_of(path, members))
    # An offset that no diagonal has.
    members |= {"offsets": npy(np.array([-(2**63)])), "data": npy(np.ones((1, 2)))}
    assert berge.read(zip_of(path, members)).nnz == 0


@pytest.mark.parametrize("text", [np.array(b"\xff\xfe"), np.array("\ud800"), None])
def test_text_that_is_none(tmp_path, text):
    member = npy(np.array("x"), b"x\0\0\0", b"\xff\xff\xff\x7f") if text is None else npy(text)
    path = zip_of(tmp_path / "a.npz", SOUND | {"format": member})
    with pytest.raises(FormatError, match="'format' is damaged"):
        berge.read(path)
    greedy = {"mate": npy(np.array([1, 0])), "method": member}
    with pytest.raises(FormatError, match="'method' is damaged"):
        read_vertex_matching(zip_of(path, greedy))


def test_memory_is_compared_with_what_archives_claim(tmp_path):
    """A file of some kilobytes whose member inflates to many megabytes."""
    path = tmp_path / "a.npz"
    zip_of(path, SOUND | {"indices": npy(np.zeros(10**7, np.int8))}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 20_000
    with pytest.raises(FormatError, match=r"10,000,000 edges do not fit .* --limit memory=VALUE"):
        berge.read(path, limits=berge.Limits(memory=10**6))
    zip_of(path, SOUND | {"shape": npy(np.zeros(10**7, np.int8))}, zipfile.ZIP_DEFLATED)
    with pytest.raises(FormatError, match=r"'shape' takes .* --limit memory=VALUE"):
        berge.read(path, limits=berge.Limits(memory=10**6))
    with pytest.raises(FormatError, match=r"must be two whole numbers ≥ 0, not \[0, 0, 0\]"):
        berge.read(path)


def test_no_more_is_read_than_was_claimed(tmp_path):
    """A member that inflates to more than its size in the directory."""
    path = zip_of(tmp_path / "a.npz", SOUND | {"indices": npy(np.zeros(10**6, np.int64))}, 8)
    content = bytearray(path.read_bytes())
    entry = [m.start() for m in re.finditer(b"PK\x01\x02", content)][1]
    size = len(npy(np.zeros(2, np.int64)))
    content[entry + 24 : entry + 28] = size.to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(FormatError, match="'indices' is damaged"):
        berge.read(path)


def test_not_an_archive(tmp_path):
    path = tmp_path / "a.npz"
    for content in (b"", b"plain text", b"PK\x03\x04 and nothing more"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match="not an npz file, or a damaged one"):
            berge.read(path)


def test_cut_short(tmp_path):
    path = tmp_path / "a.npz"
    berge.write(berge.BipartiteGraph.from_edges(range(999), range(999)), path)
    whole = path.read_bytes()
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        with pytest.raises(FormatError):
            berge.read(path)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.binary(min_size=1, max_size=4), st.booleans())
def test_damage_is_an_error_or_a_graph(tmp_path_factory, place, piece, compressed):
    path = tmp_path_factory.mktemp("damage") / "a.npz"
    zip_of(path, SOUND, zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    place %= len(content)
    content[place : place + len(piece)] = piece
    path.write_bytes(content)
    try:
        graph = berge.read(path)
    except FormatError:
        return
    again = berge.BipartiteGraph(graph.indptr, graph.indices, graph.shape)  # looked at anew
    assert again.nnz == graph.nnz
