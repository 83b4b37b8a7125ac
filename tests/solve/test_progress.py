"""The line that says how far a solve has come."""

from __future__ import annotations

import io
import sys
import time

import berge
from berge import generate
from berge.results.run import PhaseReport
from berge.solve.progress import ProgressLine


class _Terminal(io.StringIO):
    def isatty(self):
        return True


class TestProgressLine:
    REPORT = PhaseReport("search", 3, 1234, 2000, 4.1)

    def test_forwards_every_report(self, capsys):
        got = []
        with ProgressLine(got.append) as show:
            for _ in range(5):
                show(self.REPORT)
        assert got == [self.REPORT] * 5
        assert capsys.readouterr() == ("", "")

    def test_plain_lines_every_two_seconds(self, capsys, monkeypatch):
        clock = [0.0]
        monkeypatch.setattr("berge.solve.progress.time.perf_counter", lambda: clock[0])
        with ProgressLine() as show:
            for tenth in range(51):
                clock[0] = tenth / 10
                show(self.REPORT)
        line = "berge: search, phase 3: matched 1,234 of at most 2,000 (61.70%), 4.1 s\n"
        assert capsys.readouterr() == ("", 2 * line)

    def test_empty_graph(self, capsys, monkeypatch):
        monkeypatch.setattr("berge.solve.progress._SECONDS_BETWEEN_LINES", 0.0)
        with ProgressLine() as show:
            show(PhaseReport("init", 0, 0, 0, 0.0))
        assert "matched 0 of at most 0" in capsys.readouterr().err

    def test_bar_on_a_terminal(self, monkeypatch):
        screen = _Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "100")
        got = []
        with ProgressLine(got.append) as show:
            show(PhaseReport("init", 0, 10, 2000, 0.1))
            deadline = time.monotonic() + 30
            while "phase 3" not in screen.getvalue() and time.monotonic() < deadline:
                show(self.REPORT)
                time.sleep(0.01)
        assert "1,234 / 2,000" in screen.getvalue()
        assert len(got) > 1
        # Gone when it is over: the last thing done is to clear the line.
        assert screen.getvalue().endswith("\x1b[2K")

    def test_dumb_terminal(self, monkeypatch):
        screen = _Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("TERM", "dumb")
        with ProgressLine() as show:
            show(self.REPORT)
        assert screen.getvalue() == ""

    def test_in_a_solve(self):
        got = []
        graph = generate.erdos_renyi(300, 300, 600)
        m = berge.maximum_matching(graph, progress=True, on_phase=got.append)
        assert got[-1].cardinality == m.cardinality
