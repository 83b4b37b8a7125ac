"""Kernels that come compiled: taken where they fit, passed over in silence where they do not."""

from __future__ import annotations

import importlib
import json
import logging
import os
import subprocess
import sys
import zlib

import numba
import pytest
from numba.core.caching import FunctionCache

from berge.compile import shipped
from berge.compile.sources import stamp_of

from ..conftest import COMPILED
from .test_cache import DAMAGE, hits

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")

KERNEL = """
from berge.compile import kernel
from .b import helped, SHIFT
from . import c
@kernel
def work(x):
    return helped(x) + SHIFT + c.inner(x)
"""
HELPER = """
from berge.compile import helper
SHIFT = 100
@helper
def helped(x):
    return 2 * x
"""
INNER = """
from berge.compile import helper
TIMES = 1000
@helper
def inner(x):
    return TIMES * x
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return what defines a kernel of three files anew, as another process would."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "shipped")
    monkeypatch.setattr(shipped, "_NEEDS", ())  # any CPU
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "of_tests"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for name, text in (("a", KERNEL), ("b", HELPER), ("c", INNER)):
        (folder / f"{name}.py").write_text(text)

    def define():
        shipped._entries.cache_clear()
        importlib.invalidate_caches()
        for name in [name for name in sys.modules if name.partition(".")[0] == "of_tests"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        return importlib.import_module("of_tests.a").work

    define.folder = folder
    yield define
    shipped._entries.cache_clear()


MADE = {}  # files, made once: they are the same wherever the package is


@pytest.fixture
def saved(package, tmp_path):
    """Return the same, with its kernel compiled and saved for 64-bit integers."""
    if not MADE:
        with shipped.collecting() as collected:
            assert package()(3) == 3106
        shipped.save(collected, shipped.FOLDER)
        MADE.update((path.name, path.read_bytes()) for path in shipped.FOLDER.iterdir())
        for path in (tmp_path / "cache").rglob("*.nb?"):
            path.unlink()
    shipped.FOLDER.mkdir(exist_ok=True)
    for name, content in MADE.items():
        (shipped.FOLDER / name).write_bytes(content)
    return package


def compiled_here(tmp_path):
    return bool(list((tmp_path / "cache").rglob("*.nbc")))


def test_taken(saved, tmp_path):
    environment = dict(os.environ)
    work = saved()
    assert [work(3), hits(work), compiled_here(tmp_path)] == [3106, 1, False]
    assert work(1.5) == 1603.0  # not among them
    assert compiled_here(tmp_path)
    assert environment == os.environ


def test_other_code_is_left_alone(saved):
    """What somebody else compiles keeps numba's own cache."""
    saved()(3)
    assert type(numba.njit(cache=True)(stamp_of)._cache) is FunctionCache


@pytest.mark.parametrize(
    ("name", "old", "new", "answer"),
    [
        ("a", "+ SHIFT", "- SHIFT", 2906),
        ("b", "2 * x", "3 * x", 3109),
        ("b", "SHIFT = 100", "SHIFT = 200", 3206),
        ("c", "TIMES * x", "TIMES + x", 1109),
        ("c", "TIMES = 1000", "TIMES = 2000", 6106),
    ],
)
def test_changed_source(saved, tmp_path, name, old, new, answer):
    """Of the kernel, of a helper, or of a constant in another file; so with numba's cache here."""
    path = saved.folder / f"{name}.py"
    path.write_text(path.read_text().replace(old, new))
    work = saved()
    assert [work(3), hits(work)] == [answer, 0]
    again = saved()
    assert [again(3), hits(again)] == [answer, 1]
    path.write_text(path.read_text().replace(new, old))
    before = saved()
    assert [before(3), hits(before)] == [3106, 1]


def test_constant_of_a_file_that_is_not_called(saved, monkeypatch):
    """What a name stands for counts, wherever that comes from."""
    work = saved()
    monkeypatch.setitem(work.py_func.__globals__, "SHIFT", 0)
    assert [work(3), hits(work)] == [3006, 0]


OTHERS = {
    "numba": ("numba.__version__", "0.0.1"),
    "python": ("berge.compile.shipped.EXTENSION_SUFFIXES", [".cpython-39.so"]),
    "bounds checks": ("numba.config.BOUNDSCHECK", 1),
    "level of optimisation": ("numba.config.OPT", 1),
    "a CPU without something": ("berge.compile.shipped._NEEDS", ("no-cpu-has-this",)),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_made_for_another(saved, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(*OTHERS[kind])
    work = saved()
    assert [work(3), hits(work)] == [3106, 0]


def test_made_for_another_system(saved):
    path = shipped.FOLDER / "index.json"
    index = json.loads(path.read_text())
    index["for"]["system"] = "x86_64-unknown-somewhere"
    path.write_text(json.dumps(index))
    work = saved()
    assert [work(3), hits(work)] == [3106, 0]


@pytest.mark.parametrize("name", ["index.json", "code.bin"])
@pytest.mark.parametrize("kind", [*DAMAGE, "gone"])
def test_damaged_files(saved, tmp_path, name, kind):
    path = shipped.FOLDER / name
    if kind == "gone":
        path.unlink()
    else:
        path.write_bytes(DAMAGE[kind](path.read_bytes()))
    work = saved()
    assert work(3) == 3106
    # One character of a name of the index may change and do no harm; so may what is never read.
    assert hits(work) == 0 or (name, kind) == ("code.bin", "longer") or kind == "a bit"


@pytest.mark.parametrize("text", ["[]", "{}", "3", '{"for": 1}', '{"for": null, "entries": 3}'])
def test_foreign_index(saved, text):
    (shipped.FOLDER / "index.json").write_text(text)
    work = saved()
    assert [work(3), hits(work)] == [3106, 0]


@pytest.mark.parametrize(
    "places", [{"KEY": 1}, {"KEY": [0, 10**9, 5]}, {"KEY": [-5, 3, 1]}, {"KEY": ["a", "b", "c"]}]
)
def test_foreign_places(saved, places):
    path = shipped.FOLDER / "index.json"
    index = json.loads(path.read_text())
    (key,) = index["entries"]
    index["entries"] = {key: places["KEY"]}
    path.write_text(json.dumps(index))
    work = saved()
    assert [work(3), hits(work)] == [3106, 0]


@pytest.mark.parametrize("code", [b"", b"garbage", b"N.", b"\x80\x05K\x01.", b"cno_such\nthing\n."])
def test_foreign_code(saved, caplog, code):
    """With the right checksum, so that it is unpickled."""
    caplog.set_level(logging.INFO, "berge")
    path = shipped.FOLDER / "index.json"
    index = json.loads(path.read_text())
    (key,) = index["entries"]
    index["entries"] = {key: [0, len(code), zlib.crc32(code)]}
    path.write_text(json.dumps(index))
    (shipped.FOLDER / "code.bin").write_bytes(code)
    work = saved()
    assert [work(3), hits(work)] == [3106, 0]
    assert "compiling anew" in caplog.text


def test_code_that_calls_what_is_not_there(package, monkeypatch, caplog):
    """It would end the process, so it is not linked; not even after the compiler was asked."""
    caplog.set_level(logging.INFO, "berge")
    store = shipped.store
    monkeypatch.setattr(
        shipped, "store", lambda compiled: (["nobody_has_this"], store(compiled)[1])
    )
    with shipped.collecting() as collected:
        package()(3)
    shipped.save(collected, shipped.FOLDER)
    monkeypatch.setattr(numba.config, "CACHE_DIR", f"{numba.config.CACHE_DIR}-2")
    work = package()
    assert [work(3), hits(work)] == [3106, 0]
    assert "nobody here has nobody_has_this" in caplog.text


@pytest.mark.parametrize(
    ("settings", "taken"),
    [
        ({}, True),
        ({"NUMBA_CPU_NAME": "generic"}, False),
        ({"NUMBA_CPU_FEATURES": "+sse2"}, False),
    ],
)
def test_processes(saved, tmp_path, settings, taken):
    """With a processor as the user sets it, a new process has the right answer either way."""
    if taken and numba.config.CPU_NAME:
        pytest.skip("the processor is set")
    code = f"""if True:
        import sys
        from pathlib import Path
        from berge.compile import shipped
        shipped.FOLDER = Path({str(shipped.FOLDER)!r})
        shipped._NEEDS = ("sse3",) if {bool(settings)} else ()
        sys.path.insert(0, {str(tmp_path)!r})
        from of_tests.a import work
        print(work(3), sum(work.stats.cache_hits.values()))
    """
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")} | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [done.stdout.split(), done.stderr] == [["3106", str(int(taken))], ""]
