"""Matchings in parts: what `meta.json` may say."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import berge
from berge.errors import FormatError
from berge.files.aside import new_folder
from berge.files.parts import MatchingFolder, complete, write_part


@pytest.fixture
def folder(tmp_path):
    """A matching of two parts, with its cover."""
    target = tmp_path / "m"
    with new_folder(target) as new:
        parts = []
        for k in range(2):
            mates = np.arange(3 * k, 3 * k + 3, dtype=np.int32)
            arrays = {"row_match": mates, "col_match": mates}
            arrays |= {"row_cover": np.ones(3, np.bool_), "col_cover": np.zeros(3, np.bool_)}
            span = range(3 * k, 3 * k + 3)
            parts.append(write_part(new, (k, 2), span, span, arrays))
        facts = {"cardinality": 6, "upper_bound": 6, "cover": (6, 0)}
        complete(new, target, (6, 6), facts, parts)
    return target


def change(folder, **changes):
    path = folder / "meta.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_read_back(folder):
    m = berge.Matching.load(folder)
    assert m.row_match.tolist() == list(range(6))
    m.prove(berge.as_bipartite((range(6), range(6))))
    assert os.listdir(folder.parent) == ["m"]


def test_replaced(folder):
    with new_folder(folder) as new:
        empty = write_part(new, (0, 1), range(0), range(0), {"row_match": np.zeros(0, np.int32)})
        complete(new, folder, (0, 0), {"cardinality": 0, "upper_bound": 0}, [empty])
    assert MatchingFolder(folder).shape == (0, 0)
    (folder / "meta.json").unlink()
    with pytest.raises(FileExistsError, match="not replaced"), new_folder(folder) as new:
        complete(new, folder, (0, 0), {}, [])
    assert os.listdir(folder.parent) == ["m"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": [6]}, "not all of a matching in parts"),
        ({"shape": ["6", "6"]}, "not all of a matching in parts"),
        ({"shape": [10**15, 6]}, "do not hold all rows"),
        ({"parts": 7}, "not all of a matching in parts"),
        ({"parts": [7]}, "not all of a matching in parts"),
        ({"parts": [{"rows": [0, 6], "cols": [0, 6], "files": 5}]}, "not all of a matching"),
        ({"parts": [{"rows": [0, 6], "cols": [0, 6], "files": {}}]}, "does not list row_match"),
        ({"cardinality": 7}, "cardinality above its upper bound"),
        ({"cardinality": "6"}, "not all of a matching in parts"),
        ({"cover": "x"}, "not all of a matching in parts"),
        ({"cover": [1, 2, 3]}, "not all of a matching in parts"),
    ],
)
def test_forged(folder, changes, message):
    change(folder, **changes)
    with pytest.raises(FormatError, match=message):
        berge.Matching.load(folder)


def test_sizes_are_compared_before_anything_is_allocated(folder):
    files = dict.fromkeys((f"{side}_match-00000-of-00001.npy" for side in ("row", "col")), "")
    many = 10**14
    parts = [{"rows": [0, many], "cols": [0, many], "files": files}]
    change(folder, shape=[many, many], parts=parts)
    with pytest.raises(FormatError, match="do not fit in memory"):
        berge.Matching.load(folder)
    parts[0].update(rows=[0, 100], cols=[0, 100])
    os.rename(folder / "row_match-00000-of-00002.npy", folder / "row_match-00000-of-00001.npy")
    change(folder, shape=[100, 100], parts=parts)
    with pytest.raises(FormatError, match=r"row_match.* shape \(3,\) of int32, not \(100,\)"):
        berge.Matching.load(folder)


def test_old_folders_are_read_until_there_is_a_new_one(folder):
    os.rename(folder, folder.with_name(".m.0123456789ab.berge-old"))
    assert berge.Matching.load(folder).cardinality == 6
