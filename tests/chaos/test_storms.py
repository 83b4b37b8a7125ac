"""A few seconds of the long runs: Ctrl-C at any moment, and the same calls again and again."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from ..conftest import COMPILED
from .soak import draw, judge

pytestmark = pytest.mark.skipif(not COMPILED, reason="far too slow")


def run(name, *options):
    command = [sys.executable, "-m", f"tests.chaos.{name}", *options]
    return subprocess.run(command, capture_output=True, text=True)


def test_storms():
    done = run("storms", "--seconds", "8")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.startswith("storms: ")


def test_soak():
    done = run("soak", "--seconds", "4")
    said = json.loads(done.stdout)  # whether it is flat, so short a run does not tell
    assert said["calls"] > said["interrupted"] > 0


def noted(memory=100.0, threads=4, files=9, n=600):
    return [(float(k), memory, threads, files) for k in range(n)]


def test_what_grows_is_noticed(tmp_path):
    assert judge(noted())["flat"]
    early = noted(200.0, 8, 20)[:200] + noted()[200:]
    assert judge(early)["flat"]
    for k, more in ((1, 0.0005), (2, 0.01), (3, 0.01)):
        grown = [(*x[:k], type(x[k])(x[k] + more * x[0] * x[k]), *x[k + 1 :]) for x in noted()]
        assert not judge(grown)["flat"]
    once = noted()
    once[400] = (400.0, 100.0, 4, 10)
    assert not judge(once)["flat"]


def test_the_plot(tmp_path):
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    draw([(t, m, 4, 9) for t, m, *_ in noted(100 + rng.random())], tmp_path / "soak.svg")
    assert (tmp_path / "soak.svg").read_text().count("<path") > 3
