"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import OptionError
from ..methods.registry import Kind, find

if TYPE_CHECKING:
    from ..graphs.graph import BipartiteGraph

__all__ = [
    "algorithm_name",
    "as_json",
    "check_output",
    "check_plot",
    "cluster_options",
    "column_options",
    "graph_file",
    "is_parquet",
    "is_shared",
    "key_values",
    "plain_values",
    "print_json",
    "read_graph",
    "read_options",
    "seconds",
    "thread_option",
    "write_csv",
]

PICTURES = (".png", ".svg", ".pdf")

_Function = TypeVar("_Function", bound=Callable[..., Any])


def algorithm_name(kind: Kind) -> Callable[[click.Context, click.Parameter, str], str]:
    """Return a callback that refuses names not in the registry, before any file is read."""

    def check(ctx: click.Context, param: click.Parameter, value: str) -> str:
        try:
            if value != "auto":
                find(kind, value)
        except OptionError as error:
            raise click.BadParameter(str(error), ctx, param) from None
        return value

    return check


def seconds(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse what is not a number from 0 on; `not >=` catches NaN too."""
    if value is not None and not value >= 0:
        raise click.BadParameter(f"{value!r} is not a number of seconds ≥ 0", ctx, param)
    return value


# Whether the file exists is for the reader to say: that is an error (1), not wrong usage (2).
graph_file = click.argument("file", type=click.Path(path_type=Path))

thread_option = click.option(
    "-t",
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of threads; all cores if not given.",
)

as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object to stdout and nothing else."
)


def cluster_options(function: _Function) -> _Function:
    """Add the options of a solve on a Dask cluster."""
    cluster = click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Solve on a Dask cluster: tcp://scheduler:8786, or local[4] for processes here.",
    )
    checkpoint = click.option(
        "--checkpoint",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        help="On a cluster: save the matching after every phase, go on from what is there.",
    )
    return cluster(checkpoint(function))


def is_shared(file: Path) -> bool:
    """Tell whether the workers of a cluster read a file themselves: .berge folders, Parquet."""
    from ..distributed.sources import is_parquet

    return file.suffix.lower() == ".berge" or is_parquet(str(file))


def plain_values(texts: Mapping[str, str]) -> dict[str, Any]:
    """Read values as JSON has them, and take what it has not for text."""
    import json
    from contextlib import suppress

    values: dict[str, Any] = dict(texts)
    for key, text in texts.items():
        with suppress(ValueError):
            values[key] = json.loads(text)
    return values


def read_options(function: _Function) -> _Function:
    """Add the options that `read_graph` takes."""
    base = click.option(
        "--base",
        type=click.Choice(["0", "1"]),
        default="0",
        show_default=True,
        help="Number of the first row and column in an edge list.",
    )
    form = click.option(
        "--format",
        "form",
        metavar="NAME",
        help="Format of the graph file, where its suffix does not tell: mtx, csv, graph, gr, npz.",
    )
    return base(form(function))


def column_options(function: _Function) -> _Function:
    """Add the names of columns that `read_graph` takes."""
    left = click.option("--left", metavar="COLUMN", help="Column of the rows, in Parquet.")
    right = click.option("--right", metavar="COLUMN", help="Column of the columns, in Parquet.")
    return left(right(function))


def is_parquet(file: Path, form: str | None) -> bool:
    """Tell whether a file is Parquet, by the name of its format or its own."""
    from ..errors import FormatError
    from ..files import format_of

    try:
        return format_of(file, form).name == "parquet"
    except FormatError:
        return False  # the reader says what is wrong


def read_graph(
    file: Path, form: str | None, base: str, left: str | None = None, right: str | None = None
) -> BipartiteGraph:
    """Read a graph as the options say."""
    from ..files import read

    return read(file, format=form, base=int(base), left=left, right=right)


def check_output(
    path: Path, suffixes: tuple[str, ...] | None = None, option: str = "'--output'"
) -> None:
    """Refuse a place that cannot be written to now, not after hours of work."""
    if suffixes is not None and path.suffix.lower() not in suffixes:
        raise click.BadParameter(
            f"{str(path)!r} must end in {', '.join(suffixes[:-1])} or {suffixes[-1]}",
            param_hint=option,
        )
    if path.is_dir():
        raise click.BadParameter(f"{str(path)!r} is a folder", param_hint=option)
    if not path.absolute().parent.is_dir():
        raise click.BadParameter(
            f"there is no folder {str(path.parent)!r} to write {path.name!r} to",
            param_hint=option,
        )


def check_plot(path: Path | None) -> None:
    """Refuse a picture that could not be drawn or written, before any work."""
    if path is not None:
        check_output(path, PICTURES, "'--plot'")
        from ..analysis.plots import pyplot

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


def print_json(facts: dict[str, Any]) -> None:
    """Print one JSON object on one line."""
    import json

    click.echo(json.dumps(facts))


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write a line for each row, under the names of the first one's keys."""
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
