"""Options and arguments that several commands share, and the files that they name.

Commands write ``@options.threads`` for an option that is always the same, and
``@options.seed(help=…)`` for one whose help is their own. The program shows all defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import DeviceError, FormatError, OptionError
from ..methods.registry import Kind, algorithms, check_device, find
from ..wording import parse_bytes
from .pipes import (
    as_named,
    is_there,
    kept_from_stdin,
    kept_from_url,
    sent_to_stdout,
    sent_to_url,
    stdout_is_taken,
)
from .program import as_options

if TYPE_CHECKING:
    from ..files.limits import Limits
    from ..files.streams import Stream
    from ..graphs.graph import BipartiteGraph, Graph

PICTURES = (".png", ".svg", ".pdf")

Decorator = Callable[[Any], Any]


@dataclass(frozen=True)
class GraphFile:
    """A file with a graph, and how it is to be read."""

    path: Path
    form: str | None = None
    base: int = 0
    left: str | None = None
    right: str | None = None
    limits: Limits | None = None
    url: str | None = None  # of what the workers of a cluster read themselves

    def __str__(self) -> str:
        return self.url or as_named(str(self.path))

    @property
    def source(self) -> str | Path:
        """Its path, or its URL where that is read by others."""
        return self.url or self.path

    @property
    def shared(self) -> bool:
        """Whether the workers of a cluster read it themselves: .berge folders, Parquet."""
        from ..files.parquet import is_parquet

        return self.path.suffix.lower() == ".berge" or is_parquet(str(self.source))

    @property
    def format(self) -> str | None:
        """The name of its format; None where nothing tells it, which the reader complains of."""
        from ..files import format_at

        try:
            return format_at(self.source, self.form).name
        except FormatError:
            return None

    @property
    def labelled(self) -> bool:
        """Whether vertices have names: it is a table of labels, or of a format that has them."""
        if self.format in ("graphml", "pajek"):
            return True
        if (self.left, self.right) == (None, None):
            return False
        return self.format != "parquet" or self.table() is not None

    def table(self) -> Any:
        """Return a Parquet or Arrow file as a table if its columns have labels."""
        from ..files.parquet import table_of_labels

        return table_of_labels(self.source, self.left, self.right)

    @property
    def _settings(self) -> dict[str, Any]:
        names = {"left": self.left, "right": self.right}
        return {"base": self.base, "limits": self.limits, **names}

    def stream(self) -> Stream | None:
        """Open it to be read in portions; None if its format is not made for that."""
        from ..files.streams import open_stream

        if self.format != "parquet" and not self.path.exists():  # a pattern
            return None
        return open_stream(self.path, str(self.format), **self._settings)

    def read(self) -> BipartiteGraph:
        """Read a bipartite graph, with labels if columns of them are named."""
        from .. import files

        if self.labelled:
            from .labels import read_labelled

            return read_labelled(self).graph

        return files.read(self.path, format=self.form, **self._settings)

    def read_undirected(self, *, weights: bool) -> Graph:
        """Read an undirected graph, with the weights of its edges or without."""
        from .. import files
        from .labels import IN_PYTHON, labels_hinted

        with labels_hinted(self.path, IN_PYTHON):
            return files.read_graph(self.path, weights=weights, format=self.form, **self._settings)

    def read_signed(self, *, lightest: bool) -> Graph:
        """Read an undirected graph with weights of any sign; keep the lightest parallel edges."""
        from ..ingest.signed import as_signed_graph, read_signed
        from .labels import IN_PYTHON, labels_hinted

        with labels_hinted(self.path, IN_PYTHON):
            graph = read_signed(self.path, negated=lightest, format=self.form, **self._settings)
        return as_signed_graph(graph, negated=True) if lightest else graph


def seconds(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse what is not a number from 0 on; `not >=` catches NaN too."""
    if value is not None and not value >= 0:
        raise click.BadParameter(f"{value!r} is not a number of seconds ≥ 0", ctx, param)
    return value


def _share(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Read a share: 1% or 0.01."""
    if value is None:
        return None
    try:
        number = float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        number = -1.0
    if not 1e-4 <= number < 1:
        raise click.BadParameter(f"{value!r} is no share from 0.01% to 100%", ctx, param)
    return number


within = partial(click.option, "--within", metavar="SHARE", callback=_share)


class AnyPath(click.Path):
    """A path or a URL: what is `read` there is copied; what is written is sent in the end.

    What is done with the URL of a graph (`as_it_is`) depends on the other options.
    """

    def __init__(self, read: bool = False, as_it_is: bool = False, folder: bool = False):
        super().__init__(path_type=Path, file_okay=not folder)
        self.read, self.as_it_is = read, as_it_is

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a `Path`, or the URL."""
        from ..files.remote import is_url

        if not is_url(value):
            return super().convert(value, param, ctx)
        if self.as_it_is:
            return value
        if not self.file_okay:
            self.fail(f"{value!r} is a URL, and this is a folder that is worked in", param, ctx)
        return kept_from_url(value) if self.read else sent_to_url(value)


def path(
    *names: str, folder: bool = False, read: bool = False, as_it_is: bool = False, **settings: Any
) -> Decorator:
    """Return an option that is a path, of a folder if that is said; it is written to, or `read`."""
    return click.option(*names, type=AnyPath(read, as_it_is, folder), **settings)


def algorithm(kind: Kind, *names: str, help: str, also: Kind | None = None) -> Decorator:
    """Return an option that names an algorithm of the registry; others are refused at once.

    Names of another kind may `also` be given: the pipeline refuses them where they do not belong.
    """

    def check(ctx: click.Context, param: click.Parameter, value: str) -> str:
        try:
            others = {entry.name for entry in algorithms(also)} if also else ()
            if value != "auto" and value not in others:
                find(kind, value)
        except OptionError as error:
            raise click.BadParameter(as_options(str(error)), ctx, param) from None
        return value

    def begun(ctx: click.Context, param: click.Parameter, begin: str) -> list[str]:
        return [a.name for a in algorithms(kind) if a.name.startswith(begin)]

    settings: Any = {"metavar": "NAME", "default": "auto", "shell_complete": begun}
    return click.option(*names, callback=check, help=help, **settings)


def base(help: str = "Number of the first row and column in an edge list.") -> Decorator:
    """Return --base, which is a number to the command."""

    def number(ctx: click.Context, param: click.Parameter, value: str) -> int:
        return int(value)

    choice = click.Choice(["0", "1"])
    return click.option("--base", type=choice, default="0", callback=number, help=help)


def _limits(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> Limits | None:
    """Read NAME=VALUE texts; None where there are none."""
    readers: dict[str, Any] = dict.fromkeys(("memory", "line", "download"), parse_bytes)
    readers["ratio"] = float
    values: dict[str, Any] = {}
    for name, text in key_values(texts, "'--limit'").items():
        try:
            values[name] = readers[name](text)
        except (KeyError, ValueError):
            wrong = f"{name}={text} is none of memory=, line=, download=SIZE and ratio=NUMBER"
            raise click.BadParameter(wrong, ctx, param) from None
    if not values:
        return None
    from ..files.limits import Limits

    try:
        return Limits(**values)
    except OptionError as error:
        raise click.BadParameter(str(error), ctx, param) from None


def _device(ctx: click.Context, param: click.Parameter, value: str) -> str:
    try:
        check_device(value)
    except DeviceError as error:
        raise click.BadParameter(str(error), ctx, param) from None
    return value


limits = click.option(
    "--limit", "limits", multiple=True, metavar="NAME=VALUE", callback=_limits,
    help="How much the graph file may ask for: memory=40G of a solve, line=2G of a line's bytes, "
    "ratio=100000 bytes of text for a compressed one, download=40G of a URL.",
)  # fmt: skip
device = partial(click.option, "--device", metavar="[cpu|cuda]", default="cpu", callback=_device)
seed = partial(click.option, "--seed", type=click.IntRange(min=0), default=0, metavar="N")
time_limit = partial(click.option, "--time-limit", type=float, callback=seconds, metavar="SECONDS")
quiet = partial(click.option, "-q", "--quiet", is_flag=True, help="Print nothing but errors.")
switches = partial(click.option, "--option", "switches", multiple=True, metavar="KEY=VALUE")
no_prove = click.option("--no-prove", is_flag=True,
                        help="Do not check the result with a vertex cover.")  # fmt: skip
threads = click.option("-t", "--threads", type=click.IntRange(min=1), metavar="N",
                       help="Number of threads; all cores if not given.")  # fmt: skip
cluster = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Solve on a Dask cluster: tcp://scheduler:8786, or local[4] for processes here.",
)
blue = click.option("--p", type=click.FloatRange(0.01, 0.99), default=0.53406, metavar="P",
                    help="Probability of blue in a round of proposals.")  # fmt: skip
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object to stdout and nothing else."
)
format = click.option("--format", "form", metavar="NAME",
                      help="Format of the graph file, where its name and beginning do not tell: "
                      "mtx, csv, graph, gr, npz.")  # fmt: skip


def columns(left: str, right: str) -> Decorator:
    """Return --left and --right, with their help."""

    def add(function: Any) -> Any:
        second = click.option("--right", metavar="COLUMN", help=right)(function)
        return click.option("--left", metavar="COLUMN", help=left)(second)

    return add


UNITS = ("capacity_left", "capacity_right", "at_least_left", "at_least_right")
_UNITS = (
    ("--capacity-left", "How many pairs each on the left may be in: a number, or a table of labels "
     "and numbers (1 for others)."),
    ("--capacity-right", "The same for the right; also --capacity."),
    ("--at-least-left", "How many pairs each on the left must be in (0 for others)."),
    ("--at-least-right", "The same for the right."),
)  # fmt: skip


def units(function: Any) -> Any:
    """Add the options that say of how many pairs each vertex may be, and must be."""
    for name, help in reversed(_UNITS):
        names = (name, "--capacity", "capacity_right") if name == "--capacity-right" else (name,)
        function = click.option(*names, metavar="NUMBER|TABLE", help=help)(function)
    return function


parquet_columns = columns("Column of the rows, in Parquet.", "Column of the columns, in Parquet.")


def graph_file(function: Any) -> Any:
    """Add FILE and the options of how to read it; the command gets all of it as a `GraphFile`.

    A FILE of - is standard input. --left and --right are part of it where the command has them.
    """

    @wraps(function)
    def command(
        *args: Any,
        file: Any,
        form: str | None,
        base: int,
        left: str | None = None,
        right: str | None = None,
        limits: Limits | None,
        **others: Any,
    ) -> Any:
        if str(file) == "-":
            file = kept_from_stdin(form or ("csv" if left or right else None))
        graph = GraphFile(file, form, base, left, right, limits)
        if isinstance(file, str):
            graph = replace(graph, path=Path(file), url=file)
            if others.get("cluster") is None or not graph.shared:
                graph = replace(graph, path=kept_from_url(file, limits), url=None)
        return function(*args, file=graph, **others)

    # Whether the file exists is for the reader to say: that is an error (1), not usage (2).
    return click.argument("file", type=AnyPath(as_it_is=True))(base()(format(limits(command))))


def checkpoint(help: str, parts: str) -> Decorator:
    """Return --checkpoint and --resume, for a solve in parts that are called so."""
    folder = path("--checkpoint", folder=True, metavar="FOLDER", help=help)
    resume = click.option(
        "--resume",
        is_flag=True,
        help=f"Go on from the checkpoint if there is one, whatever the number of {parts} was.",
    )
    return lambda function: folder(resume(function))


def output(
    path: Path | str | None, suffixes: tuple[str, ...] | None = None, option: str = "'--output'"
) -> Path | None:
    """Return where to write to, checked; - is standard output, -.json that in another format."""
    if isinstance(path, str):
        path = sent_to_url(path)
    name = str(path)
    if name == "-" or name.startswith("-."):
        path = sent_to_stdout(name[1:] or next(s for s in suffixes or (".mtx",) if s != ".npz"))
    check_output(path, suffixes, option)
    return path


def check_output(
    path: Path | None, suffixes: tuple[str, ...] | None = None, option: str = "'--output'"
) -> None:
    """Refuse a place that cannot be written to now, not after hours of work."""
    if path is None:
        return
    wrong = None
    if suffixes is not None and path.suffix.lower() not in suffixes:
        wrong = f"{as_named(str(path))!r} must end in {', '.join(suffixes[:-1])} or {suffixes[-1]}"
    elif path.is_dir():
        wrong = f"{str(path)!r} is a folder"
    elif _keeps_files() and (path.is_file() or is_there(path)):
        wrong = f"{as_named(str(path))!r} is there already, and --no-clobber was said"
    elif not path.absolute().parent.is_dir():
        wrong = f"there is no folder {str(path.parent)!r} to write {path.name!r} to"
    if wrong:
        raise click.BadParameter(wrong, param_hint=option)


def _keeps_files() -> bool:
    ctx = click.get_current_context(silent=True)
    return bool(ctx and ctx.find_root().params.get("no_clobber"))


def check_plot(path: Path | None) -> None:
    """Refuse a picture that could not be drawn or written, before any work."""
    if path is not None:
        check_output(path, PICTURES, "'--plot'")
        from ..drawn import pyplot

        pyplot()  # raises where matplotlib is missing


def key_values(texts: Sequence[str], where: str) -> dict[str, str]:
    """Split KEY=VALUE texts; dashes in a key stand for underscores."""
    values: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise click.BadParameter(f"{text!r} is not KEY=VALUE", param_hint=where)
        if key in values:
            raise click.BadParameter(f"{key} is given twice", param_hint=where)
        values[key] = value.strip()
    return values


def plain_values(texts: Mapping[str, str]) -> dict[str, Any]:
    """Read values as JSON has them, and take what it has not for text."""
    import json
    from contextlib import suppress

    values: dict[str, Any] = dict(texts)
    for key, text in texts.items():
        with suppress(ValueError):
            values[key] = json.loads(text)
    return values


def print_json(facts: dict[str, Any]) -> None:
    """Print one JSON object on one line; paths are texts in it, and numbers that no float is."""
    import json
    from decimal import Decimal
    from os import fspath

    def text(value: Any) -> str:
        return str(value) if isinstance(value, Decimal) else fspath(value)

    click.echo(as_named(json.dumps(facts, default=text)), err=stdout_is_taken())
