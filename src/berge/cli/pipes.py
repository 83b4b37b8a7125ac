"""Standard input and output, and URLs, in place of files: ``-`` as FILE, and ``-o -``.

Graphs are looked at more than once, and writers put whole files in place. So each is a file in
a folder that lasts as long as the command. What is printed calls it by what it stands for.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..files.limits import Limits

_STAND_FOR = "berge.cli.pipes"  # in the context's meta: what paths stand for
_OUTPUT = "standard output"
_COPIES = "berge.cli.copies"  # in the context's meta: what is there until the command ends


def kept_from_stdin(form: str | None) -> Path:
    """Write what comes in to a file, and return its path.

    What gzip, bzip2 and xz have compressed is known by its first bytes.
    """
    from ..files.remote import compression_of

    first = sys.stdin.buffer.read(6)
    packed = compression_of(first)
    path = _stand_in("standard input", (f".{form}" if form else "") + packed)
    with path.open("wb") as file:
        file.write(first)
        shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
    return path


def sent_to_stdout(suffix: str) -> Path:
    """Return the path of a file whose content goes to standard output when the command ends."""
    path = _stand_in(_OUTPUT, suffix)

    def send() -> None:
        if path.is_file():
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer, 1 << 20)
            sys.stdout.buffer.flush()

    click.get_current_context().call_on_close(send)
    return path


def kept_from_url(url: str, limits: Limits | None = None) -> Path:
    """Copy what a URL has to this machine, and return its path."""
    from ..files.remote import copied, plain, shown

    if plain(url) != url:
        return Path(plain(url))
    copy = copied(url, limits)
    click.get_current_context().meta.setdefault(_COPIES, []).append(copy)  # until the end
    _stand_for()[str(copy)] = shown(url)
    return Path(copy)


def sent_to_url(url: str) -> Path:
    """Return the path of a file or folder whose content is sent to a URL when the command ends."""
    from ..files.remote import plain, sent, shown

    if plain(url) != url:
        return Path(plain(url))
    sending = sent(url)
    copy = sending.__enter__()
    ctx = click.get_current_context()
    ctx.call_on_close(lambda: sending.__exit__(None, None, None))
    _stand_for()[str(copy)] = shown(url)
    return Path(copy)


def stands_for_url(path: Path) -> bool:
    """Tell whether a path stands for a URL."""
    return "://" in _stand_for().get(str(path), "")


def is_there(path: Path) -> bool:
    """Tell whether there is something already at the URL that a path stands for."""
    from ..files.remote import exists

    return stands_for_url(path) and exists(_stand_for()[str(path)])


def stdout_is_taken() -> bool:
    """Tell whether a result goes to standard output, so that all else goes to standard error."""
    return _OUTPUT in _stand_for().values()


def as_named(text: str) -> str:
    """Return a text with what paths stand for in place of them."""
    for path, name in _stand_for().items():
        text = text.replace(path, name)
    return text


def _stand_for() -> dict[str, str]:
    ctx = click.get_current_context(silent=True)
    return ctx.meta.setdefault(_STAND_FOR, {}) if ctx else {}


def _stand_in(name: str, suffix: str) -> Path:
    folder = tempfile.TemporaryDirectory(prefix="berge-")
    click.get_current_context().call_on_close(folder.cleanup)
    path = Path(folder.name, f"std{suffix}")
    _stand_for()[str(path)] = name
    return path
