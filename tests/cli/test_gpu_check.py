"""``berge gpu-check``, on the CPU: it proves what is right and tells what is not."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from berge.cli import cli
from berge.cli.gpu_check import SIMULATOR
from berge.methods.registry import algorithms, variants
from berge.results.matching import Matching

from ..conftest import in_simulator, simulator


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


@pytest.mark.kernels
def test_a_run_that_hangs_is_in_the_file(tmp_path, monkeypatch):
    """What was found before it, too."""

    def hang(self, graph):
        if graph.n_rows > 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(Matching, "prove", hang)
    result, facts = check(tmp_path)
    assert result.exit_code != 0
    assert [run["status"] for run in facts["runs"]] == ["proved", "not ended"]
    assert facts["runs"][-1]["graph"] == "chain of 300"


ONE_GRAPH = """
from berge.cli import gpu_check, main
found = list(gpu_check._graphs(True, simulated=True))
gpu_check._graphs = lambda small, simulated: found[:1] if simulated else None
main()
"""


@pytest.mark.kernels
@simulator
def test_in_the_simulator(tmp_path):
    """As on a GPU, on the tiniest of its graphs."""
    file = tmp_path / "gpu.json"
    in_simulator(f"import sys; sys.argv = ['berge', 'gpu-check', '-o', {str(file)!r}]{ONE_GRAPH}")
    facts = json.loads(file.read_text())
    assert facts["machine"]["gpu"] == SIMULATOR
    assert {run["status"] for run in facts["runs"]} == {"proved"}
    assert {run["graph"] for run in facts["runs"]} == {"one edge"}


def test_without_a_gpu_it_says_so(monkeypatch):
    pytest.importorskip("numba.cuda")
    monkeypatch.setattr("numba.cuda.is_available", lambda: False)
    result = CliRunner().invoke(cli, ["gpu-check", "--small"])
    assert result.exit_code != 0
    assert "cuda" in result.output
