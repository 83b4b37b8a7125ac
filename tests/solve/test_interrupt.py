"""Ctrl-C and the time limit in a real process: what was found so far is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import berge
from berge import generate
from berge.cli import exit_codes
from berge.results import interrupts

PATIENCE = 300  # seconds, for machines that are busy

# A cycle in random order: Hopcroft–Karp without a start breaks it into paths of all lengths, and
# takes a phase for each length.
LINKS = 2_000_000
SLOW = ["--algorithm", "hopcroft-karp", "--init", "none", "--threads", "1"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send there")


@pytest.fixture(scope="module")
def long_run(tmp_path_factory):
    """A file that takes far longer to solve than the tests wait; written and read quickly."""
    path = tmp_path_factory.mktemp("graphs") / "paths.npz"
    rng = np.random.default_rng(0)
    cols = rng.permutation(LINKS)
    pairs = np.sort(np.column_stack([cols, np.roll(cols, 1)]), axis=1)[rng.permutation(LINKS)]
    graph = berge.BipartiteGraph(np.arange(LINKS + 1) * 2, pairs.ravel(), (LINKS, LINKS))
    berge.write(graph, path)
    # Compiled beforehand, or the first seconds of the run would be the compiler's.
    tiny = generate.chain(50)
    berge.maximum_matching(tiny, algorithm="hopcroft-karp", init="none", threads=1)
    return path


def start(path, *args):
    return subprocess.Popen(
        [sys.executable, "-m", "berge", "match", str(path), *SLOW, "--json", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )


def check_best_so_far(path, saved, facts, stopped):
    """What is in the file is a valid matching, and the report does not claim too much."""
    graph = berge.read(path)
    matching = berge.Matching.load(saved)
    berge.verify(graph, matching)
    assert matching.cardinality == facts["cardinality"]
    assert facts["is_maximum"] is facts["proved"] is False
    assert facts["cardinality"] < LINKS <= facts["upper_bound"]
    assert facts["stopped"] == facts["stats"]["stopped"] == stopped
    assert facts["output"] == str(saved)


@pytest.mark.parametrize("times", [1, 3])
def test_interrupt_in_the_middle(long_run, tmp_path, times):
    """Also by someone who presses Ctrl-C more than once."""
    saved = tmp_path / "best.npz"
    process = start(long_run, "--output", saved, "--progress")
    guard = threading.Timer(PATIENCE, process.kill)
    guard.start()
    try:
        for line in process.stderr:
            if line.startswith("berge: search"):
                for _ in range(times):
                    process.send_signal(signal.SIGINT)
                    time.sleep(0.1)
                break
        stdout, stderr = process.communicate()
    finally:
        guard.cancel()
        process.kill()
        process.wait()
    assert process.returncode == exit_codes.INTERRUPTED, stderr
    assert "Traceback" not in stderr
    assert f"interrupted: the best matching so far is in {saved}" in stderr
    facts = json.loads(stdout)
    assert facts["cardinality"] > 0
    check_best_so_far(long_run, saved, facts, "interrupted")


def test_time_limit(long_run, tmp_path):
    saved = tmp_path / "best.npz"
    process = start(long_run, "--output", saved, "--time-limit", "0.5")
    try:
        stdout, stderr = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == exit_codes.TIME_LIMIT, stderr
    assert stderr == ""
    check_best_so_far(long_run, saved, json.loads(stdout), "time limit")


def test_interrupt_while_reading(tmp_path):
    """There is no matching yet: nothing is written, and the exit code is a shell's."""
    fifo = tmp_path / "graph.mtx"
    os.mkfifo(fifo)
    saved = tmp_path / "best.npz"
    process = start(fifo, "--output", saved)
    guard = threading.Timer(PATIENCE, process.kill)
    guard.start()
    try:
        with open(fifo, "wb") as pipe:  # returns once the other side is reading
            pipe.write(b"%%MatrixMarket matrix coordinate pattern general\n")
            pipe.flush()
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate()
    finally:
        guard.cancel()
        process.kill()
        process.wait()
    assert (process.returncode, stdout) == (exit_codes.INTERRUPTED_BEFORE, "")
    assert stderr == "interrupted\n"
    assert not saved.exists()


def test_single_interrupt(monkeypatch):
    """The first counts, those right after it do not, one much later does."""
    now = [100.0]
    monkeypatch.setattr("berge.results.interrupts.time.monotonic", lambda: now[0])
    before = signal.getsignal(signal.SIGINT)
    with interrupts.single_interrupt():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        now[0] += 1
        signal.raise_signal(signal.SIGINT)
        with interrupts.held_interrupts():
            now[0] += 10
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_interrupts_in_another_thread():
    """Signals are the main thread's; elsewhere nothing is set, and nothing fails."""
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def work():
        with interrupts.single_interrupt(), interrupts.held_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
