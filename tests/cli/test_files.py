"""Standard input, formats by content, and files that are not written over."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma

import pytest
from click.testing import CliRunner

import berge
from berge import generate
from berge.cli import cli, exit_codes

from .invoke import run, run_json

PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.fixture
def text(tmp_path):
    berge.write(generate.chain(9), tmp_path / "chain.mtx")
    return (tmp_path / "chain.mtx").read_bytes()


def feed(content, *args, code=0):
    result = CliRunner().invoke(cli, [str(a) for a in args], input=content, prog_name="berge")
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("packer", PACKERS)
def test_standard_input(text, packer):
    shown = feed(PACKERS[packer](text), "match", "-").output
    assert "perfect, proved" in shown
    assert feed(PACKERS[packer](text), "info", "-", "--json").output.startswith("{")


def test_standard_input_of_other_formats():
    assert "2  perfect" in feed(b"0 1\n1 0\n", "match", "-", "--format", "csv").output
    names = b"who,what\nann,cook\nbob,cook\n"
    assert "want only cook" in feed(names, "match", "-", "--left", "who", "--right", "what").output
    shown = feed(b"0 1\n", "match", "-", code=exit_codes.ERROR).stderr
    assert "standard input: a name without a suffix tells no format" in " ".join(shown.split())


def test_standard_output(text, tmp_path):
    done = feed(text, "match", "-", "-o", "-")
    assert done.stdout.startswith("# rows 9 cols 9 matched 9 upper_bound 9\n0 ")
    assert "standard input" in done.stderr
    assert "perfect, proved" in done.stderr
    both = feed(text, "match", "-", "-o", "-.json", "--json")
    assert json.loads(both.stdout)["cardinality"] == 9
    assert json.loads(both.stderr)["output"] == "standard output"
    assert run("generate", "chain", "links=9", "-o", "-").stdout.encode() == text
    assert feed(text, "convert", "-", "-", "--from", "mtx", "--to", "csv").stdout.endswith("8,0\n")
    names = b"who,what\nann,cook\nbob,cook\n"
    columns = "--left", "who", "--right", "what"
    assert feed(names, "match", "-", *columns, "-o", "-").stdout == "who,what\nann,cook\n"
    wrong = feed(text, "match", "-", "-o", "-.png", code=exit_codes.USAGE).stderr
    assert "'standard output' must end in" in wrong
    assert run("match", tmp_path / "none.mtx", "-o", "-", code=exit_codes.ERROR).stdout == ""


@pytest.mark.parametrize("name", ["A", "A.txt", "A.gz", "A.txt.gz", "A.matrix", "A.dat.xz"])
def test_matrix_market_by_its_banner(text, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(PACKERS[path.suffix if path.suffix in PACKERS else ""](text))
    assert berge.read(path).shape == (9, 9)
    assert run_json("match", path)["is_perfect"] is True
    assert berge.as_graph(path).n_vertices == 9


def test_npz_by_its_beginning(tmp_path):
    berge.write(generate.chain(9), tmp_path / "a.npz")
    (tmp_path / "a.npz").rename(tmp_path / "a")
    assert berge.read(tmp_path / "a").nnz == generate.chain(9).nnz


def test_what_is_not_there_or_written_goes_by_the_name(text, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(text)
    berge.write(generate.chain(3), path)
    assert path.read_bytes().startswith(b"# rows 3")
    with pytest.raises(FileNotFoundError):
        berge.read(tmp_path / "nothing")


def test_no_clobber(text, tmp_path):
    source, target = tmp_path / "a.mtx", tmp_path / "m.txt"
    source.write_bytes(text)
    target.write_text("mine")
    for args in (
        ("--no-clobber", "match", source, "-o", target),
        ("match", source, "-o", target, "--no-clobber"),
        ("generate", "chain", "--no-clobber", "-o", target),
    ):
        shown = run(*args, code=exit_codes.USAGE).stderr
        assert "is there already" in " ".join(shown.replace("│", " ").split())
    assert target.read_text() == "mine"
    run("match", source, "-o", target)
    assert target.read_text() != "mine"


def test_urls(tmp_path, monkeypatch):
    """What a URL has is read, and written to, like a file; messages name the URL."""
    fsspec = pytest.importorskip("fsspec")
    graph = generate.hidden_perfect(40, 2)
    url = "memory://cli/graph.mtx.gz"
    berge.write(graph, url)
    saved = "memory://cli/m.npz"
    found = run_json("match", url, "-o", saved)
    assert (found["file"], found["output"], found["cardinality"]) == (url, saved, 40)
    assert run_json("verify", url, saved, "--independent")["is_maximum"]
    assert url in run("match", url, "--initial", saved).output
    assert run_json("info", url)["edges"] == graph.nnz
    run("convert", url, "memory://cli/graph.berge")
    assert run_json("match", "memory://cli/graph.berge", "-a", "out-of-core")["cardinality"] == 40
    run("convert", "memory://cli/graph.berge", tmp_path / "back.mtx")
    assert run_json("match", (tmp_path / "back.mtx").as_uri())["cardinality"] == 40
    for wrong in ("memory://cli/none.mtx", "nosuch://cli/a.mtx"):
        assert wrong in run("match", wrong, code=1).output
    told = run("match", url, "--limit", "download=100", code=1).output
    assert "may be downloaded; --limit download=" in " ".join(told.split())
    run("match", url, "--cluster", "local", "--checkpoint", "memory://cli/saved", code=2)
    with fsspec.open("memory://cli/units.csv", "w") as file:
        file.write("name,units\n0,2\n")
    units = run_json("match", url, "--capacity-left", "memory://cli/units.csv")
    assert units["cardinality"] == 40
    # As with files: nothing is written over with --no-clobber, and no larger matching at all.
    assert "is there already" in run("match", url, "-o", saved, "--no-clobber", code=2).output
    assert "kept" in run("match", url, "-o", saved, "--time-limit", "0", code=3).output
    assert run_json("verify", url, saved)["is_maximum"]
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "put_file", fail)
    assert "gone" in run("match", url, "-o", "memory://cli/other.npz", code=1).output


def fail(self, here, there, **more):
    raise ConnectionError("gone")


def test_patterns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e-1.csv").write_text("0,1\n1,0\n")
    (tmp_path / "e-2.csv").write_text("2,2\n")
    assert run_json("match", "e-*.csv")["cardinality"] == 3
    run("convert", "e-*.csv", "all.berge", "-q")
    assert run_json("match", "all.berge")["cardinality"] == 3
    assert run_json("info", "e-?.csv")["edges"] == 3
    assert "no file is called" in run("match", "none-*.csv", code=1).output
