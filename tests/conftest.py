"""Settings that must be made before numba is imported, and what several tests share."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

# More threads than this machine may have cores: oversubscription is a case of its own.
os.environ.setdefault("NUMBA_NUM_THREADS", "4")

import numba
import pytest
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

import berge.compile  # noqa: F401 (before numba is used: it shows it where tbb is)

DATA = Path(os.environ.get("BERGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"
# Kernels are Python there in any case; coverage sees them only where all others are Python too.
simulator = pytest.mark.skipif(
    COMPILED, reason="the simulator runs in plain Python, by test-python"
)
TIME_IS_UP = "the seconds given are over"


# In the background of a script Ctrl-C is ignored, by the processes that tests send it to as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    group = parser.getgroup("berge")
    group.addoption(
        "--sweep",
        action="store_true",
        help="every algorithm × start × number of threads × graph, in random order",
    )
    group.addoption(
        "--seconds",
        type=float,
        metavar="N",
        help="begin no test later than N seconds from now; the others are skipped",
    )


def pytest_configure(config):
    if (seconds := config.getoption("--seconds")) is not None and not hasattr(
        config, "workerinput"
    ):
        config.option.deadline = time.time() + seconds  # the same for all workers


def pytest_collection_modifyitems(config, items):
    if config.getoption("--sweep"):
        random.Random(0).shuffle(items)  # so that what fits into --seconds is of every kind


def pytest_runtest_setup(item):
    if time.time() > getattr(item.config.option, "deadline", float("inf")):
        pytest.skip(TIME_IS_UP)


def pytest_terminal_summary(terminalreporter, config):
    if config.getoption("--seconds") is not None:
        reports = terminalreporter.stats
        left = sum(TIME_IS_UP in str(report.longrepr) for report in reports.get("skipped", []))
        done = sum(len(reports.get(outcome, [])) for outcome in ("passed", "failed"))
        terminalreporter.line(f"in the seconds given: {done} of {done + left} tests")


def _compile_once() -> None:
    """Have a kernel that two processes want compiled by one of them; the other loads it."""
    import fcntl

    compile_, held = Dispatcher.compile, set()

    def compile_alone(self, sig):
        lock = Path(self._cache.cache_path or "", f"{self.py_func.__qualname__}.lock")
        if self._cache.cache_path is None or lock in held:
            return compile_(self, sig)
        lock.parent.mkdir(parents=True, exist_ok=True)
        with global_compiler_lock, lock.open("w") as file:  # threads first, then processes
            held.add(lock)
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                return compile_(self, sig)
            finally:
                held.discard(lock)

    Dispatcher.compile = compile_alone


if COMPILED and os.name == "posix" and "PYTEST_XDIST_WORKER" in os.environ:
    _compile_once()


def _share_once() -> None:
    """Let one thread of a simulated block make its shared array; numba lets them race for that.

    A kernel may have one such array: they are told apart by the line that asks, which is here.
    """
    from numba.cuda.simulator.kernelapi import FakeCUDAShared

    make, lock = FakeCUDAShared.array, threading.Lock()

    def make_alone(self, *arguments, **more):
        with lock:
            return make(self, *arguments, **more)

    FakeCUDAShared.array = make_alone


if numba.config.ENABLE_CUDASIM:
    _share_once()


def in_simulator(code: str) -> str:
    """Run code in numba's CUDA simulator, which is chosen when numba starts; return its output."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout


@pytest.fixture(autouse=True)
def _caller_settings_survive():
    """No call may leave another thread count behind."""
    before = numba.get_num_threads()
    yield
    assert numba.get_num_threads() == before
