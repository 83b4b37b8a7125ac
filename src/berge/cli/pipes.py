"""Standard input and output in place of files: ``-`` as FILE, and ``-o -``.

Graphs are looked at more than once, and writers put whole files in place. So either is a file in
a folder that lasts as long as the command. What is printed calls it by what it stands for.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import click

_STAND_FOR = "berge.cli.pipes"  # in the context's meta: what paths stand for
_OUTPUT = "standard output"


def kept_from_stdin(form: str | None) -> Path:
    """Write what comes in to a file, and return its path.

    What gzip, bzip2 and xz have compressed is known by its first bytes.
    """
    from ..files.files import COMPRESSIONS

    first = sys.stdin.buffer.read(6)
    marks = zip((b"\x1f\x8b", b"BZh", b"\xfd7zXZ"), COMPRESSIONS, strict=True)
    packed = next((suffix for mark, suffix in marks if first.startswith(mark)), "")
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
