"""``berge gpu-check``, on the CPU: it proves what is right and tells what is not."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from berge.cli import cli
from berge.methods.registry import algorithms, variants
from berge.results.matching import Matching


def check(tmp_path, *more):
    file = tmp_path / "gpu.json"
    result = CliRunner().invoke(
        cli, ["gpu-check", "--small", "--device", "cpu", "-o", str(file), *more]
    )
    return result, json.loads(file.read_text())


@pytest.mark.kernels
def test_all_that_runs_on_gpus_is_proved(tmp_path):
    result, facts = check(tmp_path)
    assert result.exit_code == 0, result.output
    assert {run["status"] for run in facts["runs"]} == {"proved"}
    names = {a.name for a in variants("exact") if "cuda" in a.devices}
    names |= {f"greedy {a.name}" for a in algorithms("greedy") if "cuda" in a.devices}
    assert {run["algorithm"] for run in facts["runs"]} == names | {"g-pr-shr statistics"}
    assert all(len(run["seconds"]) == 2 for run in facts["runs"])
    assert facts["machine"]["numba"]


@pytest.mark.kernels
def test_what_fails_is_told(tmp_path, monkeypatch):
    def fail(self, graph):
        raise ZeroDivisionError("no proof")

    monkeypatch.setattr(Matching, "prove", fail)
    result, facts = check(tmp_path)
    assert result.exit_code == 1
    exact = [run for run in facts["runs"] if not run["algorithm"].startswith("greedy")]
    assert {run["status"] for run in exact} == {"error"}
    assert all("no proof" in run["error"] for run in exact)
    assert "please send it" in result.output


def test_without_a_gpu_it_says_so(monkeypatch):
    pytest.importorskip("numba.cuda")
    monkeypatch.setattr("numba.cuda.is_available", lambda: False)
    result = CliRunner().invoke(cli, ["gpu-check", "--small"])
    assert result.exit_code != 0
    assert "cuda" in result.output
