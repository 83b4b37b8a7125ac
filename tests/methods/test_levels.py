"""The log of frontier sizes, which has an end."""

from __future__ import annotations

import pytest

import berge
from berge.methods import levels
from berge.methods.levels import LevelLog, log_level


@pytest.mark.kernels
def test_later_phases_have_the_room_that_is_left(monkeypatch):
    monkeypatch.setattr(levels, "_KEPT", 3)
    log = LevelLog(berge.SolveStats())
    for frontier, more in ((5, [4]), (9, [8, 7]), (2, [1])):
        log.begin_phase(frontier)
        for size in more:
            log_level(log.sizes, size)
        log.end_phase()
    assert log.stats.levels == 7
    assert log.stats.frontiers == [[5, 4], [9]]
