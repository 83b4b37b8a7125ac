"""How every command behaves: errors as one line, exit codes, help in sections.

Only click is imported here and at the top of the commands, so that ``berge --help`` is quick. The
commands that need numpy and the compiler import them, and those that draw import rich.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from typing import Any

import click

from ..errors import BergeError, GuessWarning, OptionError
from ..wording import message_of, visible
from .exit_codes import ERROR, INTERRUPTED, INTERRUPTED_BEFORE, MEANINGS, TIME_LIMIT
from .pipes import as_named

# The commands that do what functions do, which messages name.
_COMMANDS = {
    "maximum_matching": "match",
    "maximum_weight_matching": "weighted",
    "assign": "assign",
    "greedy_matching": "greedy",
}

Maker = Callable[[Callable[..., Any]], click.Command]


class _WithExamples(click.Command):
    """A command whose help ends in its examples."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        if self.epilog:
            with formatter.section("Examples"):
                formatter.write_text(self.epilog)


class Command(_WithExamples):
    """A command; what the library calls a wrong option is wrong usage here.

    What the library says is said with the command's own options. One with -o has --no-clobber.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        if any("-o" in param.opts for param in self.params):
            self.params.append(
                click.Option(["--no-clobber"], is_flag=True, expose_value=False, callback=_keep,
                             help="Do not write over a file that is there already.")
            )  # fmt: skip

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; what an unknown option asks for may be had elsewhere."""
        from ..hints import elsewhere

        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name
            hint = as_options(elsewhere(name))
            near = get_close_matches(name, error.possibilities or (), n=1, cutoff=0.8)
            if near or not hint or f"`{ctx.command_path}`" in hint:
                raise
            raise click.UsageError(f"there is no option {name}{hint}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        try:
            return super().invoke(ctx)
        except BergeError as error:
            if ctx.find_root().params.get("debug"):
                raise
            said = as_options(str(error))
            if isinstance(error, OptionError):
                raise click.UsageError(said, ctx) from None
            error.args = (said,)
            raise


def _keep(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().params["no_clobber"] = True


class Group(_WithExamples, click.Group):
    """A command that has commands of its own."""


# Commands of berge-lab, a distribution of its own, that are known where it is not installed.
LAB = ("bench", "compare", "report", "reproduce")


class Program(Group):
    """The commands, listed in sections, and what happens when one of them fails.

    `sections` has a line for each command, whose module is imported when it is called. Other
    distributions add commands by the entry point ``berge.commands``.
    """

    command_class = Command

    def __init__(self, *args: Any, sections: dict[str, dict[str, str]], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.sections = sections

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; turn exceptions into one line on stderr and an exit code."""
        try:
            with _warnings_as_lines():
                result = super().invoke(ctx)
            sys.stdout.flush()  # here, where a closed pipe is still noticed
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click knows what to do
        except KeyboardInterrupt:
            say("interrupted", "yellow")
            ctx.exit(INTERRUPTED_BEFORE)
        except Exception as error:
            if ctx.params["debug"]:
                raise
            say("error", "bold red", message_of(error))
            ctx.exit(ERROR)
        return result

    @cached_property
    def added(self) -> dict[str, Any]:
        """Entry points of the commands that other distributions add, by name."""
        from importlib.metadata import entry_points

        return {entry.name: entry for entry in sorted(entry_points(group="berge.commands"))}

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, imported now."""
        found: click.Command | None = None
        if any(name in commands for commands in self.sections.values()):
            file = name.replace("-", "_")
            found = getattr(import_module(f"berge.cli.{file}"), file)
        elif name in self.added:
            found = self.added[name].load()
        elif name in LAB:
            raise click.ClickException(
                f"`berge {name}` is part of berge-lab: pip install 'berge[lab]'"
            )
        return found

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the sections."""
        return [name for commands in [*self.sections.values(), self.added] for name in commands]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections."""
        widest = max(len(name) for name in self.list_commands(ctx))
        added = {name: entry.load().get_short_help_str(100) for name, entry in self.added.items()}
        for title, commands in {**self.sections, "Laboratory": added}.items():
            if commands:
                with formatter.section(title):
                    formatter.write_dl(
                        [(name.ljust(widest), says) for name, says in commands.items()]
                    )

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the exit codes and examples."""
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in MEANINGS.items()])
        super().format_epilog(ctx, formatter)


def command(*lines: str, cls: type[Command] = Command) -> Maker:
    """Return a decorator that makes a command with these examples."""
    return click.command(cls=cls, epilog=examples(*lines))


def examples(*lines: str) -> str:
    """Return an epilog with examples; the first character has click leave the lines as they are."""
    return "\n".join(["\b", *lines])


def say(label: str, style: str, message: str = "") -> None:
    """Print one line to stderr that begins with a coloured label."""
    from rich.console import Console
    from rich.text import Text

    line = Text(label, style)
    if message:
        said = visible(as_options(" ".join(message.split())))
        line.append(": ").append(said, "default not bold")
    Console(stderr=True, highlight=False).print(line, soft_wrap=True)


def as_options(message: str) -> str:
    """Return a message of the library in the words of the command line.

    ``base=1`` is ``--base 1`` if the command has that, and functions are commands.
    """
    ctx = click.get_current_context(silent=True)
    names = {p.name: p.opts[-1] for p in ctx.command.params if p.opts} if ctx else {}
    for own, keyword in (("form", "format"), ("score", "weights")):
        names |= {keyword: names[own]} if own in names else {}

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        return f"{names[name]} {value}".rstrip() if name in names else found[0]

    message = re.sub(r"\b([a-z_]+)=(\S*) of berge\.", _option_of, message)
    for function, name in _COMMANDS.items():
        message = re.sub(rf"berge\.{function}\b", f"`berge {name}`", message)
    return as_named(re.sub(r"\b([a-z_]+)=([\w.…]*)", option, message))


def _option_of(found: re.Match[str]) -> str:
    return f"--{found[1]} {found[2].removesuffix('True')}".rstrip() + " of berge."


def leave(ctx: click.Context, stopped: str | None, what: str, *, quiet: bool = False) -> None:
    """End a command that was stopped early with the exit code for that; say what there is."""
    if stopped == "interrupted":
        if not quiet:
            say("interrupted", "yellow", what)
        ctx.exit(INTERRUPTED)
    if stopped:
        ctx.exit(TIME_LIMIT)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show what the library warns of as a line, without the place in the code."""
    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=RuntimeWarning, module=r"berge\.")
        warnings.filterwarnings("always", category=GuessWarning)
        before = warnings.showwarning

        def show(message: Any, category: Any, *where: Any, **more: Any) -> None:
            if issubclass(category, RuntimeWarning):
                say("warning", "yellow", str(message))
            else:
                before(message, category, *where, **more)

        warnings.showwarning = show
        yield
