"""Algorithms side by side, and peers with a limit."""

from __future__ import annotations

import csv
import json
import math

import pytest
from click.testing import CliRunner
from tests.conftest import COMPILED

import berge
from berge import OptionError, ProofError, generate
from berge.cli import cli
from berge.methods import registry
from berge_lab.bench import compare as module
from berge_lab.bench.compare import Comparison, compare

pytestmark = pytest.mark.skipif(not COMPILED, reason="measures compiled code")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "road.npz"
    berge.write(generate.road(20, 20), path)
    return str(path)


def test_all_algorithms_agree_and_are_sorted_by_time():
    graph = generate.road(20, 20)
    results = compare(graph, repeat=2)
    assert {r.name for r in results} == {"auto", *(a.name for a in registry.variants("exact"))}
    assert [r.best for r in results] == sorted(r.best for r in results)
    assert len({r.cardinality for r in results}) == 1
    assert all(len(r.seconds) == 2 and r.failure is None for r in results)
    assert all(r.stats is not None and 0 < r.search <= r.best for r in results)


def test_options_with_a_name():
    graph = generate.permute(generate.grid(20, 20))
    names = ["pothen-fan", "pothen-fan:lookahead=false:fairness=no"]
    results = {r.name: r.stats for r in compare(graph, names, init="cheap", repeat=1)}
    assert set(results) == set(names)
    assert results[names[0]].traversed_edges != results[names[1]].traversed_edges


def test_auto_is_what_the_default_is():
    graph = generate.road(20, 20)
    default = berge.maximum_matching(graph).stats
    (result,) = compare(graph, ["auto"], repeat=1)
    assert (result.name, result.stats.algorithm, result.stats.init) == (
        "auto", default.algorithm, default.init,
    )  # fmt: skip
    options = {r.name for r in compare(graph, ["auto", "auto:effort=2"], init="auto", repeat=1)}
    assert options == {"auto", "auto:effort=2"}
    with pytest.raises(OptionError, match="has no option 'alfa'; it has effort"):
        compare(graph, ["auto:alfa=1"])


def test_sensitivity_is_the_papers():
    result = Comparison("x", (1.0, 3.0), None, 0)
    assert math.isclose(result.sensitivity, 100 * math.sqrt(2) / 2)
    assert Comparison("x", (1.0,), None, 0).sensitivity == 0
    assert Comparison("x", (), None, 0, "over 1 s").best == math.inf


def test_peers_beside():
    results = {r.name: r for r in compare(generate.chain(30), ["pothen-fan"], peers=["scipy"])}
    assert results["scipy"].cardinality == results["pothen-fan"].cardinality == 30
    assert len(results["scipy"].seconds) == 3
    assert results["scipy"].stats is None


def test_a_wrong_peer_is_found_out(monkeypatch):
    monkeypatch.setattr(
        module, "measure", lambda *_, **__: {"status": "unproved", "reason": "not maximum"}
    )
    with pytest.raises(ProofError, match="scipy: not maximum"):
        compare(generate.chain(3), ["pothen-fan"], peers=["scipy"])


def test_time_limit_leaves_a_row_without_seconds():
    results = compare(generate.grid(50, 50), ["pothen-fan"], time_limit=0)
    assert results[0].failure == "over 0 s"
    assert results[0].seconds == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["hopcroft"]}, "did you mean 'hopcroft-karp'"),
        ({"peers": ["matlab"]}, "peer 'matlab' is not one of scipy, igraph, networkx"),
        ({"repeat": 0}, "repeat must be"),
        ({"names": ["ms-bfs-graft:alfa=2"]}, "there is no option 'alfa'; did you mean 'alpha'"),
        ({"names": ["ms-bfs-graft:alpha=x"]}, "alpha must be a number from 1, not 'x'"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(OptionError, match=message):
        compare(generate.chain(3), **options)


def test_command_prints_writes_and_draws(file, tmp_path):
    arguments = ["compare", file, "-a", "pothen-fan,ms-bfs-graft", "--peers", "scipy", "-r", "2"]
    arguments += ["--csv", str(tmp_path / "t.csv"), "--plot", str(tmp_path / "t.png")]
    result = CliRunner().invoke(cli, [*arguments, "--permute", "3"])
    assert result.exit_code == 0, result.output
    for word in ("road.npz", "proved", "pothen-fan", "ms-bfs-graft", "scipy", "MTEPS"):
        assert word in result.output
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert {row["algorithm"] for row in rows} == {"pothen-fan", "ms-bfs-graft", "scipy"}
    assert len({row["cardinality"] for row in rows}) == 1
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")


def test_command_says_a_wrong_picture_before_it_reads(tmp_path):
    result = CliRunner().invoke(cli, ["compare", str(tmp_path / "no.mtx"), "--plot", "p.foo"])
    assert result.exit_code == 2
    assert "must end in .png, .svg or .pdf" in result.output


def test_command_json(file):
    result = CliRunner().invoke(
        cli, ["compare", file, *["-a", "pothen-fan", "-i", "auto", "--json", "-t", "1"]]
    )
    runs = json.loads(result.stdout)["runs"]
    assert runs[0]["algorithm"] == "pothen-fan"
    assert len(runs[0]["runs"]) == 3
    assert runs[0]["seconds"] == min(runs[0]["runs"])


def test_command_says_a_wrong_name_before_it_reads(tmp_path):
    result = CliRunner().invoke(cli, ["compare", str(tmp_path / "none.mtx"), "-a", "pothen"])
    assert result.exit_code == 2
    assert "did you mean 'pothen-fan'" in result.output
