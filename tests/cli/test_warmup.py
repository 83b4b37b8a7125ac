"""``berge warmup``."""

from __future__ import annotations

import re
import subprocess

import berge
from berge.methods.registry import variants

from .invoke import BERGE, run


class TestWarmup:
    def test_says_what_it_did(self):
        """After a first time everything is in the cache."""
        assert re.match(r"ready: .*(compiled|cache)", run("warmup").stderr)
        done = subprocess.run(
            [*BERGE, "warmup"], capture_output=True, text=True, check=True, timeout=300
        )
        assert re.match(r"ready: everything was in the cache; loaded in ", done.stderr)
        assert done.stdout == ""

    def test_small_graphs_too(self, monkeypatch):
        """These have a kernel of their own."""
        from berge.cli import warmup
        from berge.solve import small

        called, begin = [], small.begin_small
        monkeypatch.setattr(small, "begin_small", lambda *a: called.append(1) or begin(*a))
        warmup._use_kernels(False)
        assert called

    def test_all(self, monkeypatch):
        asked = set()
        monkeypatch.setattr("berge.cli.warmup._use_kernels", asked.add)
        run("warmup", "--all")
        assert asked == {True}

    def test_all_uses_everything(self, monkeypatch):
        from berge.cli import warmup

        asked = set()

        maximum_matching = berge.maximum_matching

        def solve(graph, algorithm="auto", init="auto", **settings):
            asked.add((algorithm, init))
            if algorithm == init == "auto":  # what is used further on
                return maximum_matching(graph, **settings)
            return maximum_matching(graph, time_limit=0)

        monkeypatch.setattr("berge.solve.maximum.maximum_matching", solve)
        warmup._use_kernels(True)
        pairs = {(e.name, s.name) for e in variants("exact") for s in berge.algorithms("start")}
        assert pairs <= asked
