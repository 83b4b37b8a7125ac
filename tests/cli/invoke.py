"""Running commands in this process."""

from __future__ import annotations

import json
import sys

import numpy as np
from click.testing import CliRunner

import berge
from berge import generate
from berge.cli import cli

BERGE = [sys.executable, "-m", "berge"]


def run(*args, code=0):
    """Run a command in this process and check its exit code."""
    result = CliRunner().invoke(cli, [str(a) for a in args], prog_name="berge")
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def run_json(*args, code=0):
    result = run(*args, "--json", code=code)
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def thinned_grid(size):
    """A grid without half of its entries."""
    grid = generate.grid(size, size)
    rows = np.repeat(np.arange(grid.n_rows), grid.row_degrees)
    kept = np.random.default_rng(7).random(grid.nnz) < 0.5
    return berge.BipartiteGraph.from_edges(rows[kept], grid.indices[kept], grid.shape)
