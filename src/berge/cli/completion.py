"""``berge completion``: what has a shell complete commands, options and names."""

from __future__ import annotations

import os
from pathlib import Path

import click

from .program import command

_SHELLS = ("bash", "zsh", "fish")


@command(
    "berge completion bash >> ~/.bashrc",
    "berge completion zsh >> ~/.zshrc",
    "berge completion fish > ~/.config/fish/completions/berge.fish",
)
@click.argument("shell", type=click.Choice(_SHELLS), required=False)
def completion(shell: str | None) -> None:
    """Print the lines that have a shell complete what is typed after `berge`.

    Append them to what SHELL runs as it starts, as in the examples. Without SHELL, they are for the
    one that is in use.
    """
    from click.shell_completion import get_completion_class

    from . import cli

    shell = shell or Path(os.environ.get("SHELL", "bash")).name
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"there is none for {shell!r}, only for {', '.join(_SHELLS)}")
    click.echo(made(cli, {}, "berge", "_BERGE_COMPLETE").source())
