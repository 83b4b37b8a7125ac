"""Every command that writes, killed or without room, in a few ways; the long run tries all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ..conftest import COMPILED


@pytest.mark.skipif(not COMPILED, reason="far too slow")
def test_commands():
    """By now each of them has been disturbed in about two ways."""
    command = [sys.executable, "-m", "tests.chaos.commands", "--count", "40", "--seconds", "900"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.startswith("commands: 40 tried")
