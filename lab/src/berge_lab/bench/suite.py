"""Suites: which graphs, which settings and peers, how often and how long; read from TOML.

docs/benchmarks.md says what may stand in a suite file. `read_suite` checks all of it and names the
file and the key that is wrong.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

from berge.errors import OptionError
from berge.files.files import split_suffix
from berge.graphs.graph import BipartiteGraph, Graph
from berge.methods.registry import check_options, find
from berge.wording import did_you_mean

from .peers import PEERS

__all__ = ["BUILT_IN", "GraphSource", "Setting", "Suite", "generated", "read_suite"]

BUILT_IN = {
    name: Path(__file__).parent / "suites" / f"{name}.toml"
    for name in ("quick", "standard", "data", "folder", "large", "choose", "choice")
}
_THREADS = "a whole number from 1 on, or a list of them"


@dataclass(frozen=True)
class GraphSource:
    """A graph's name and where it comes from; `spec` is what the suite file says of it."""

    name: str
    spec: dict[str, Any]
    path: Path | None = None

    @cached_property
    def source(self) -> dict[str, Any]:
        """The spec, and of a file also what tells its content from any other."""
        if self.path is None:
            return self.spec
        about = self.path.stat()
        return self.spec | {"content": _digest(self.path, about.st_size, about.st_mtime_ns)}

    def load(self) -> BipartiteGraph | Graph:
        """Generate or read it; an undirected graph if the spec asks for its weights."""
        from berge.files import read
        from berge.generate import permute
        from berge.ingest import as_graph

        from .families import ALL_KINDS

        if self.path is not None and self.spec.get("weights"):
            return as_graph(self.path, weights=True)
        if self.path is not None:
            graph = read(self.path)
        else:
            values = {k: v for k, v in self.spec.items() if k not in ("generate", "permute")}
            graph = ALL_KINDS[self.spec["generate"]].function(**values)
        seed = self.spec.get("permute")
        return graph if seed is None else permute(graph, seed=seed)


@cache
def _digest(path: Path, size: int, changed: int) -> str:
    """Return a digest of a file's bytes; read once, unless size or time are others."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:16]


@dataclass(frozen=True)
class Setting:
    """What is measured: `maximum_matching` with these arguments, or a peer.

    With the argument ``method`` it is `greedy_matching`. `repeats` is the suite's unless given,
    `keep` names more of `SolveStats` to be kept.
    """

    name: str
    peer: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    repeats: int | None = None
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class Suite:
    """A suite file as read."""

    name: str
    title: str
    graphs: tuple[GraphSource, ...]
    settings: tuple[Setting, ...]
    repeats: int = 3
    time_limit: float = 60.0
    memory_limit: float | None = None
    seed: int = 0


def read_suite(name: str | os.PathLike[str], files: Sequence[str] = ()) -> Suite:
    """Read a suite file, or the built-in suite of that name; `files` take the place of its graphs.

    Raises
    ------
    OptionError
        Names the file, the key, and what is wrong there.
    """
    path = BUILT_IN.get(os.fspath(name), Path(name))
    if path.suffix != ".toml":
        raise OptionError(
            f"{os.fspath(name)!r} is not a .toml file nor one of {', '.join(BUILT_IN)}"
        )
    try:
        with path.open("rb") as file:
            suite = _suite(path, tomllib.load(file))
            if not files:
                _check_names("graphs", suite.graphs)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OptionError(f"{path}: not TOML: {error}") from None
    except OptionError as error:
        raise OptionError(f"{path}: {error}") from None
    if not files:
        return suite
    graphs = tuple(_graphs(Path("here"), 0, {"files": list(files)}))
    _check_names("graphs", graphs)
    return replace(suite, graphs=graphs)


def _suite(path: Path, table: dict[str, Any]) -> Suite:
    known = (
        "title",
        "repeats",
        "time_limit",
        "memory_limit",
        "seed",
        "graphs",
        "settings",
        "peers",
    )
    _check_keys("", table, known)
    graphs = [g for i, t in enumerate(_tables(table, "graphs")) for g in _graphs(path, i, t)]
    settings = [s for i, t in enumerate(_tables(table, "settings")) for s in _settings(i, t)]
    settings += _peers(table.get("peers", []))
    _check_names("settings", settings)
    return Suite(
        name=path.stem,
        title=_text("title", table.get("title", "")),
        graphs=tuple(graphs),
        settings=tuple(settings),
        repeats=_whole("repeats", table.get("repeats", 3), 1),
        time_limit=_positive("time_limit", table.get("time_limit", 60)),
        memory_limit=None
        if "memory_limit" not in table
        else _positive("memory_limit", table["memory_limit"]),
        seed=_whole("seed", table.get("seed", 0), 0),
    )


def _check_names(what: str, items: Sequence[GraphSource | Setting]) -> None:
    names = [item.name for item in items]
    if not names:
        raise OptionError(f"{what}: there are none")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"{what}: two have the name {twice!r}; give one another name")


def _graphs(path: Path, number: int, table: dict[str, Any]) -> Iterator[GraphSource]:
    where = f"graphs[{number}]"
    if ("generate" in table) == ("files" in table):
        raise OptionError(f"{where}: needs one of the keys 'generate' and 'files'")
    permute = table.get("permute")
    if permute is not None:
        _whole(f"{where}.permute", permute, 0)
    if "generate" in table:
        yield generated(where, dict(table))
        return
    _check_keys(where, table, ("files", "folder", "permute"))
    written = table["files"] if isinstance(table["files"], list) else [table["files"]]
    folder = _text(f"{where}.folder", table.get("folder", ""))
    for name in written:
        named = os.path.join(folder, _text(f"{where}.files", name))
        for file in _found(where, path, named):
            stem = file.name
            for suffix in reversed(split_suffix(file)):
                stem = stem[: len(stem) - len(suffix)]
            # As written: results should not tell where someone keeps files.
            spec = {"file": os.path.join(os.path.dirname(named), file.name)}
            more = {} if permute is None else {"permute": permute}
            yield GraphSource(stem + (" permuted" if more else ""), spec | more, file)


def _found(where: str, path: Path, name: str) -> list[Path]:
    """Return the files of that name, or pattern, seen from the suite file's folder."""
    for variable in re.findall(r"\$\{?(\w+)", name):
        if variable not in os.environ:
            raise OptionError(f"{where}: {name!r} needs the environment variable {variable}")
    full = os.path.join(path.parent, os.path.expanduser(os.path.expandvars(name)))
    files = sorted(glob.glob(full)) if glob.has_magic(full) else [full]
    missing = [file for file in files if not os.path.isfile(file)]
    if missing or not files:
        raise OptionError(f"{where}: there is no file {(missing or [full])[0]}")
    return [Path(file) for file in files]


def generated(where: str, table: dict[str, Any]) -> GraphSource:
    """Make a source of a generator's name and parameters; the table is used up."""
    from .families import ALL_KINDS

    name = table.pop("name", None)
    kind = table["generate"]
    if kind not in ALL_KINDS:
        raise OptionError(f"{where}.generate: {kind!r} is not one of {', '.join(ALL_KINDS)}")
    parameters = ALL_KINDS[kind].parameters
    _check_keys(where, table, ("generate", "permute", *(p.name for p in parameters)))
    lacking = [p.name for p in parameters if p.required and p.name not in table]
    if lacking:
        raise OptionError(f"{where}: {kind} needs {lacking[0]!r}")
    if name is None:
        values = [str(v) for k, v in table.items() if k not in ("generate", "permute", "seed")]
        name = "-".join([kind, *values]) + (" permuted" if "permute" in table else "")
    return GraphSource(_text(f"{where}.name", name), table)


def _settings(number: int, table: dict[str, Any]) -> Iterator[Setting]:
    where = f"settings[{number}]"
    _check_keys(where, table, ("name", "algorithm", "init", "side", "threads", "seed", "options"))
    lists = {key: table[key] for key in ("algorithm", "init") if isinstance(table.get(key), list)}
    for values in product(*lists.values()):
        yield from _of_threads(where, table | dict(zip(lists, values, strict=True)))


def _of_threads(where: str, table: dict[str, Any]) -> Iterator[Setting]:
    """Make a setting for each number of threads."""
    options = table.get("options", {})
    if not isinstance(options, dict):
        raise OptionError(f"{where}.options: must be a table, not {options!r}")
    chosen = {key: table[key] for key in ("algorithm", "init", "side", "seed") if key in table}
    if chosen.get("side", "auto") not in ("auto", "rows", "cols"):
        raise OptionError(f"{where}.side: must be 'auto', 'rows' or 'cols', not {chosen['side']!r}")
    algorithm, init = chosen.get("algorithm", "auto"), chosen.get("init", "auto")
    try:
        start = find("start", "none" if init == "auto" else init)
        if algorithm != "auto":
            check_options(find("exact", algorithm), start, options)
    except OptionError as error:
        raise OptionError(f"{where}: {error}") from None
    threads = table.get("threads")
    for count in threads if isinstance(threads, list) else [threads]:
        if count is not None:
            _whole(f"{where}.threads", count, 1, _THREADS)
        parts = [
            algorithm,
            *(chosen[k] for k in ("init", "side") if chosen.get(k, "auto") != "auto"),
        ]
        parts += [f"{k}={str(v).lower()}" for k, v in options.items()]
        name = _text(f"{where}.name", table.get("name", " ".join(parts)))
        if count is not None and (isinstance(threads, list) or "name" not in table):
            name += f" t{count}"
        yield Setting(name, None, chosen | options | ({} if count is None else {"threads": count}))


def _peers(names: Any) -> list[Setting]:
    if not isinstance(names, list):
        raise OptionError(f"peers: must be a list of names, not {names!r}")
    for name in names:
        if name not in PEERS:
            raise OptionError(f"peers: {name!r} is not one of {', '.join(PEERS)}")
    return [Setting(name, name) for name in names]


def _tables(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    tables = table.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        raise OptionError(f"{key}: must be tables, each begun by [[{key}]]")
    return tables


def _check_keys(where: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known) or f"; known are {', '.join(known)}"
            raise OptionError(f"{where + ': ' if where else ''}unknown key {key!r}{hint}")


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{where}: must be text, not {value!r}")
    return value


def _whole(where: str, value: Any, least: int, words: str = "") -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        words = words or f"a whole number from {least} on"
        raise OptionError(f"{where}: must be {words}, not {value!r}")
    return value


def _positive(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise OptionError(f"{where}: must be a number above 0, not {value!r}")
    return float(min(value, 1e300))
