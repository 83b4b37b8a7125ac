"""``berge convert``."""

from __future__ import annotations

import berge
from berge import generate

from .invoke import run, run_json


class TestConvert:
    def test_round_trip(self, tmp_path):
        """What is generated, converted, matched and verified stays the same graph."""
        first = tmp_path / "road.mtx"
        run("generate", "road", "width=20", "height=15", "seed=4", "--permute", 2, "-o", first)
        expected = generate.permute(generate.road(20, 15, seed=4), seed=2)
        cardinality = berge.maximum_matching(expected).cardinality
        for name in ("road.csv", "road.npz", "road.gr.gz", "again.mtx.xz"):
            second = tmp_path / name
            result = run("convert", first, second)
            assert result.stdout == ""
            assert result.stderr.startswith(f"wrote: {second}: ")
            matched = run_json("match", second, "-o", tmp_path / "m.npz")
            assert (matched["edges"], matched["cardinality"]) == (expected.nnz, cardinality)
            assert run_json("verify", second, tmp_path / "m.npz")["is_maximum"] is True
            first = second
        graph = berge.read(first)
        assert (graph.indptr == expected.indptr).all()
        assert (graph.indices == expected.indices).all()

    def test_convert_by_name_of_format(self, tmp_path):
        (tmp_path / "a.dat").write_text("1,1\n2,1\n0,1\n")
        run("convert", tmp_path / "a.dat", tmp_path / "b.dat", "--from", "csv", "--to", "mtx", "-q")
        (tmp_path / "a.dat").write_text("1,1\n2,1\n")
        run("convert", tmp_path / "a.dat", tmp_path / "c.mtx", "--from", "csv", "--base", 1, "-q")
        assert berge.read(tmp_path / "b.dat", format="mtx").shape == (3, 2)
        assert berge.read(tmp_path / "c.mtx").shape == (2, 1)

    def test_base_is_for_formats_without_one(self, tmp_path):
        berge.write(generate.chain(3), tmp_path / "a.mtx")
        for name in ("b.berge", "b.csv"):
            shown = run("convert", tmp_path / "a.mtx", tmp_path / name, "--base", 1, code=2).output
            assert "--base 1, but the format matrix-market has a base of its own" in shown
            assert not (tmp_path / name).exists()

    def test_a_last_line_without_its_end(self, tmp_path):
        for text, suffix in (("0 1", "txt"), ("0 1\n2 0", "csv")):
            (tmp_path / f"a.{suffix}").write_text(text)
            run("convert", tmp_path / f"a.{suffix}", tmp_path / f"{suffix}.berge")
            assert berge.read(tmp_path / f"{suffix}.berge").nnz == text.count(" ")
