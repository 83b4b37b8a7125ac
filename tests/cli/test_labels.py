"""``berge match --left --right``."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

from berge.cli import exit_codes

from .invoke import run

PAIRS = [
    ("ann", "cook"), ("bob", "cook"), ("bob", "drive"), ("cid", "drive"),
    ("dan", "sew"), ("dan", "iron"),
]  # fmt: skip


def match_json(*args, code=0):
    return json.loads(run("match", *args, "--json", code=code).stdout)


class TestCommand:
    @pytest.fixture
    def jobs(self, tmp_path):
        path = tmp_path / "jobs.csv"
        lines = ["hours,worker,job"] + [f"{k},{w},{j}" for k, (w, j) in enumerate(PAIRS)]
        path.write_text("\n".join(lines) + "\n")
        return path

    BY_NAME = ("--left", "worker", "--right", "job")

    def test_result_and_reasons(self, jobs, tmp_path):
        text = run("match", jobs, *self.BY_NAME, "-o", tmp_path / "result.csv").stdout
        words = " ".join(text.split())
        assert "4 in worker × 4 in job, 6 edges" in words
        assert "1 in worker, 1 in job" in words
        assert "why ann, bob and cid want only cook and drive: 3 for 2" in words
        heading, *pairs = (tmp_path / "result.csv").read_text().splitlines()
        assert heading == "worker,job"
        assert len(pairs) == 3
        assert all(tuple(pair.split(",")) in PAIRS for pair in pairs)

    def test_labels_are_written_as_they_were_read(self, tmp_path):
        """Formulas for spreadsheets too: SECURITY.md says why."""
        odd = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", '=HYPERLINK("http://x","y")', "a\x1b[1mb"]
        with open(tmp_path / "odd.csv", "w", newline="") as file:
            csv.writer(file).writerows([("a", "b"), *((w, w + "!") for w in odd)])
        run("match", tmp_path / "odd.csv", "--left", "a", "--right", "b", "-o", tmp_path / "m.csv")
        with open(tmp_path / "m.csv", newline="") as file:
            assert list(csv.reader(file)) == [["a", "b"], *([w, w + "!"] for w in odd)]

    def test_a_terminal_acts_on_nothing_that_is_in_a_file(self, tmp_path):
        evil = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202eabc"
        path = tmp_path / "evil.csv"
        path.write_text(f"{evil},b\n{evil}1,x\n{evil}2,x\n", encoding="utf-8")
        shown = run("match", path, "--left", "1", "--right", "b").output
        shown += run("match", path, "--left", "c", "--right", "b", code=exit_codes.USAGE).output
        assert not set(shown) & set("\x1b\x07\x9b\u202e")
        assert "␛[31mred" in shown

    def test_json(self, jobs):
        facts = match_json(jobs, *self.BY_NAME)
        assert facts["cardinality"] == 3
        labels = facts["labels"]
        assert (labels["left"], labels["right"]) == ("worker", "job")
        assert all(tuple(pair) in PAIRS for pair in labels["pairs"])
        assert len(labels["unmatched_left"]) == len(labels["unmatched_right"]) == 1
        (reason,) = labels["reasons_left"]
        assert reason["members"] == ["ann", "bob", "cid"]
        assert reason["text"].endswith("3 for 2")
        assert labels["reasons_right"][0]["choices"] == ["dan"]
        assert "labels" not in match_json_numbers(jobs.with_name("numbers.csv"))

    def test_columns_by_number_and_by_default(self, jobs):
        assert match_json(jobs, "--left", 2, "--right", 3)["labels"]["left"] == "worker"
        shown = run("match", jobs, "--right", "job", code=exit_codes.USAGE).stderr
        assert "name the column by --left …, of 'hours', 'worker'" in shown
        jobs.write_text("2,1\nann,cook\n")  # a name beats a number
        assert match_json(jobs, "--left", "1")["labels"]["pairs"] == [["cook", "ann"]]

    @pytest.mark.parametrize(
        ("args", "says"),
        [
            (["--left", "boss"], "no column 'boss'; the columns are 'hours', 'worker', 'job'"),
            (["--left", "4"], "no column '4'"),
            (["--left", "0"], "no column '0'"),
            (["--left", "job", "--right", "3"], "both the column 'job'"),
            (["--left", "job", "--base", "1"], "--base is for files of numbers"),
            (["--left", "job", "--format", "mtx"], "not for the format 'mtx'"),
            (["--left", "job", "-o", "m.json"], "'m.json' must end in .csv, .tsv or .npz"),
            (["-o", "m.csv"], "'m.csv' must end in .npz, .txt or .json"),
        ],
    )
    def test_wrong_usage(self, jobs, args, says):
        assert says in run("match", jobs, *args, code=exit_codes.USAGE).stderr

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("worker,job\nann,cook\nbob,\n", "jobs.csv, line 3: no label in column 'job'"),
            ("worker,job\n  ,cook\n", "line 2: no label in column 'worker'"),
            ("worker,job\n\n\nann\n", "line 4: no label in column 'job'"),
            ('worker,job\n"a\nb",cook\n,x\n', "line 4: no label in column 'worker'"),
            ("", "the file is empty"),
            ("\n \n", "the file is empty"),
            ("worker\nann\n", "line 1: edges need two columns"),
            ('worker,job\nann,"cook\n', "line 2: unexpected end of data"),
            ('worker,job\nann,"co"ok\n', "line 2: "),
            ("worker,job\nann," + "x" * 200_000, "line 2: field larger"),
            ("worker,worker\nann,cook\n", "2 columns are called 'worker'"),
        ],
    )
    def test_broken_files(self, jobs, text, says):
        jobs.write_text(text)
        code = exit_codes.USAGE if "are called" in says else exit_codes.ERROR
        assert says in run("match", jobs, "--left", "worker", code=code).stderr

    def test_not_utf_8(self, jobs):
        jobs.write_bytes("worker,job\nann,cook\nzoë,sew\n".encode("latin-1"))
        stderr = run("match", jobs, *self.BY_NAME, code=exit_codes.ERROR).stderr
        assert "jobs.csv, line 3: not text in UTF-8" in stderr

    def test_missing_file_and_folder(self, tmp_path):
        for path in (tmp_path / "nope.csv", tmp_path):
            assert "error: " in run("match", path, *self.BY_NAME, code=exit_codes.ERROR).stderr

    @pytest.mark.parametrize(
        "text",
        [
            "\ufeffworker,job\nann,cook\nbob,cook\nbob,sew\n",
            "worker;job\nann;cook\nbob;cook\nbob;sew\n",
            "worker\tjob\nann\tcook\nbob\tcook\nbob\tsew\n",
            "worker,job\r\nann,cook\r\nbob,cook\r\nbob,sew\r\n",
            '"worker","job"\n"ann","cook"\n"bob","cook"\n"bob","sew"\n',
            "\nworker , job\nann , cook\n\nbob, cook,,\n bob,sew\n , \nann,cook",
        ],
        ids=["signature", "semicolons", "tabs", "windows", "quotes", "spaces"],
    )
    def test_dialects(self, jobs, text):
        jobs.write_bytes(text.encode())
        facts = match_json(jobs, *self.BY_NAME)
        assert facts["labels"]["pairs"] == [["ann", "cook"], ["bob", "sew"]]
        assert facts["is_perfect"]

    def test_labels_that_need_quotes(self, jobs, tmp_path):
        jobs.write_text('"the, worker",job\n"a, b","say ""hi"""\n"c\nd",é\n', encoding="utf-8")
        run("match", jobs, "--left", "the, worker", "-o", tmp_path / "out.csv", "-q")
        assert (tmp_path / "out.csv").read_bytes().decode() == (
            '"the, worker",job\n"a, b","say ""hi"""\n"c\nd",é\n'
        )

    def test_other_files(self, jobs, tmp_path):
        packed = tmp_path / "jobs.tsv.gz"
        packed.write_bytes(gzip.compress(jobs.read_bytes().replace(b",", b"\t")))
        run("match", packed, *self.BY_NAME, "-o", tmp_path / "out.tsv", "-q")
        assert (tmp_path / "out.tsv").read_text().startswith("worker\tjob\n")
        packed.write_bytes(packed.read_bytes()[:-9])
        assert "damaged" in run("match", packed, *self.BY_NAME, code=exit_codes.ERROR).stderr
        run("match", jobs, *self.BY_NAME, "-o", tmp_path / "m.npz", "-q")
        again = match_json(jobs, *self.BY_NAME, "--initial", tmp_path / "m.npz")
        assert again["stats"]["start_cardinality"] == 3

    def test_quiet(self, jobs):
        assert run("match", jobs, *self.BY_NAME, "-q").output == ""

    def test_time_limit(self, jobs, tmp_path):
        out = tmp_path / "out.csv"
        args = (jobs, *self.BY_NAME, "--time-limit", 0, "-o", out)
        labels = match_json(*args, code=exit_codes.TIME_LIMIT)["labels"]
        assert labels["pairs"] == []
        assert labels["unmatched_left"] == ["ann", "bob", "cid", "dan"]
        assert labels["reasons_left"] is labels["reasons_right"] is None
        assert out.read_text() == "worker,job\n"
        text = run("match", *args, code=exit_codes.TIME_LIMIT).stdout
        assert "4 in worker" in text
        assert "why" not in text

    def test_many_reasons_are_cut(self, jobs):
        lines = [f"w{k},j{k // 2}" for k in range(60)]
        jobs.write_text("\n".join(["worker,job", *lines]))
        words = " ".join(run("match", jobs, *self.BY_NAME).stdout.split())
        assert "and 20 others" in words
        assert words.count("2 for 1") == 5
        assert "… and 25 more groups with 25 unmatched; --json lists all" in words
        jobs.write_text("\n".join(["worker,job", *lines[:12]]))
        assert "… and 1 more group with 1" in " ".join(
            run("match", jobs, *self.BY_NAME).stdout.split()
        )

    def test_all_on_the_left_matched(self, jobs):
        jobs.write_text("worker,job\nann,cook\nann,sew\n")
        text = run("match", jobs, *self.BY_NAME).stdout
        assert "0 in worker, 1 in job" in text
        assert "why" not in text

    def test_hint_where_labels_were_meant(self, jobs, tmp_path):
        stderr = run("match", jobs, code=exit_codes.ERROR).stderr
        assert "(columns of labels are read with --left NAME --right NAME)" in stderr
        broken = tmp_path / "a.mtx"
        broken.write_text("ann\n")
        assert "--left" not in run("match", broken, code=exit_codes.ERROR).stderr


def match_json_numbers(path):
    path.write_text("0,0\n1,1\n")
    return match_json(path)
