"""Compiled kernels on the disk: damaged, cut short, on full disks and in folders of nobody."""

from __future__ import annotations

import logging
import os
import resource
import runpy
import shutil
import subprocess
import sys

import numba
import pytest

from berge.compile import kernel

from ..conftest import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Return what defines a kernel anew, as another process would: nothing but the cache stays."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    source = tmp_path / "source.py"
    source.write_text("def double(x):\n    return 2 * x\n")

    def define():
        return kernel(runpy.run_path(str(source))["double"])

    define.source = source
    return define


def hits(compiled):
    return sum(compiled.stats.cache_hits.values())


def files(tmp_path, suffix):
    return sorted((tmp_path / "cache").rglob(f"*.{suffix}"))


def test_kept(fresh, tmp_path):
    first = fresh()
    assert [first(3), first(1.5), hits(first)] == [6, 3.0, 0]
    again = fresh()
    assert [again(3), again(1.5), hits(again)] == [6, 3.0, 2]
    assert len(files(tmp_path, "nbi")) == 1
    assert len(files(tmp_path, "nbc")) == 2


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]


DAMAGE = {
    "empty": lambda content: b"",
    "one byte": lambda content: content[:1],
    "cut short": lambda content: content[: len(content) // 2],
    "one byte less": lambda content: content[:-1],
    "garbage": lambda content: b"\x80\x05garbage" * 100,
    "zeros": lambda content: bytes(len(content)),
    "a bit": flipped,  # in machine code nobody but a checksum would notice
    "longer": lambda content: content + b"x",
}


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_files_are_compiled_anew(fresh, tmp_path, caplog, suffix, kind):
    fresh()(3)
    (path,) = files(tmp_path, suffix)
    path.write_bytes(DAMAGE[kind](path.read_bytes()))
    caplog.set_level(logging.INFO, "berge")
    damaged = fresh()
    assert [damaged(3), hits(damaged)] == [6, 0]
    assert f"a file of the cache is damaged: {path}" in caplog.text
    again = fresh()
    assert [again(3), hits(again)] == [6, 1]


def test_what_cannot_be_unpickled(fresh, tmp_path, monkeypatch, caplog):
    """As after a change of a library that what is kept refers to."""
    fresh()(3)

    def fail(*args):
        raise AttributeError("gone")

    caplog.set_level(logging.INFO, "berge")
    with monkeypatch.context() as patch:
        patch.setattr("numba.core.compiler.CompileResult._rebuild", fail)
        damaged = fresh()
        assert damaged(3) == 6
    assert "AttributeError('gone')" in caplog.text
    assert hits(damaged) == 0


def test_code_of_another_state_of_the_source(fresh, tmp_path):
    """If an index of the new source led to code of the old one, nobody would notice."""
    fresh()(3)
    (old,) = files(tmp_path, "nbc")
    fresh.source.write_text("def double(x):\n    return x + x + 1\n")
    changed = fresh()
    assert [changed(3), hits(changed)] == [7, 0]
    (new,) = files(tmp_path, "nbc")
    assert new.name != old.name


def test_source_that_changes_while_it_runs(fresh):
    """What was loaded before is not kept as what the file says now."""
    running = fresh()
    text = fresh.source.read_text()
    fresh.source.write_text("def double(x):\n    return 2 * x + 1\n")
    assert running(3) == 6
    changed = fresh()
    assert [changed(3), hits(changed)] == [7, 0]
    fresh.source.write_text(text)
    assert fresh()(3) == 6


def test_killed_between_code_and_index(fresh, tmp_path, monkeypatch):
    compiled = fresh()
    compiled(3)

    def die(*args):
        raise OSError("killed here")

    with monkeypatch.context() as patch:
        patch.setattr(type(compiled._cache.kept._cache_file), "_save_index", die)
        assert compiled(1.5) == 3.0
    again = fresh()
    assert [again(3), again(1.5), hits(again)] == [6, 3.0, 1]


def test_full_disk(fresh, tmp_path, caplog):
    caplog.set_level(logging.INFO, "berge")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    compiled = fresh()
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        assert compiled(3) == 6
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "a kernel is not kept: [Errno 27] File too large" in caplog.text
    left = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert [path for path in left if path.suffix != ".lock"] == []  # numba's own
    again = fresh()
    assert [again(3), hits(again)] == [6, 0]


def test_folder_that_goes(fresh, tmp_path):
    compiled = fresh()
    assert compiled(1.5) == 3.0
    shutil.rmtree(tmp_path / "cache")
    assert compiled(3) == 6
    again = fresh()
    assert [again(3), hits(again)] == [6, 1]


def test_no_folder_at_all(fresh, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "berge")
    monkeypatch.setattr("numba.core.caching.CacheImpl._locator_classes", [])
    assert fresh()(3) == 6
    assert "kernels are not kept" in caplog.text


def test_a_whole_cache_of_damaged_files(tmp_path):
    """Every file that a process has left is damaged; the next one does the same work."""
    script = """if True:
        import numpy as np, berge
        from berge.compile import shipped
        shipped.FOLDER = shipped.FOLDER / "none"
        rows = np.arange(2000) % 997
        print(berge.as_bipartite((rows, np.arange(2000) % 991)).indices.sum())
    """
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", script]

    def work():
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    before = work()
    damaged = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(damaged) > 1
    for k, path in enumerate(damaged):
        os.truncate(path, k % 3 * 10)
    assert work() == before
    assert all(path.stat().st_size > 20 for path in damaged)


def test_ctrl_c_waits_for_the_compiler(tmp_path):
    """numba's tables would stay half filled, and every later call would fail."""
    code = """
import signal, sys
import berge
from berge.compile import kernel

came = 0
for first in (0.01, 0.05, 0.1, 0.2, 0.4, 0.8):
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, first)
    try:
        berge.structural_rank([[1, 0], [1, 1]])
    except KeyboardInterrupt:
        came += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert berge.structural_rank([[1, 0], [1, 1]]) == 2
print(came)
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
