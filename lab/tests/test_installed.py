"""The commands of the laboratory where it is installed, and what is said where it is not."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from berge.cli import cli, exit_codes

COMMANDS = ("bench", "compare", "report", "reproduce")


def test_help_shows_the_commands():
    text = CliRunner().invoke(cli, ["--help"]).stdout
    section = text.partition("Laboratory:")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in section.strip().splitlines()] == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_has_help(command):
    result = CliRunner().invoke(cli, [command, "--help"])
    assert result.exit_code == 0
    assert f"Usage: cli {command}" in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_without_the_laboratory_one_line_says_how_to_get_it(command, monkeypatch):
    monkeypatch.setitem(cli.__dict__, "added", {})
    result = CliRunner().invoke(cli, [command, "graph.mtx"])
    assert result.exit_code == exit_codes.ERROR
    (line,) = result.stderr.splitlines()
    assert f"`berge {command}` is part of berge-lab: pip install 'berge[lab]'" in line
    text = CliRunner().invoke(cli, ["--help"]).stdout
    assert "Laboratory" not in text
