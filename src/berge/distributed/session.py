"""Results of solves in parts, written where they lie."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..files.parts import complete, write_part
from .communicator import Communicator
from .messages import collect, nothing, to_all
from .part import Part

__all__ = ["save_parts"]


def save_parts(
    folder: str | os.PathLike[str],
    comm: Communicator,
    part: Part,
    arrays: Mapping[str, npt.NDArray[Any]],
    facts: Mapping[str, Any],
) -> None:
    """Write this part's arrays; the folder is there once all have been written. Collective.

    The `arrays` are ``row_match`` and ``col_match``, and of a proved matching ``row_cover`` and
    ``col_cover``. The `facts`, those of part 0, are what else ``meta.json`` is to tell,
    ``cardinality`` and ``upper_bound`` among it. A folder of that name that holds a matching in
    parts is replaced. Three exchanges.
    """
    target = Path(folder)
    token = np.array([secrets.randbits(48)], np.int64)
    received, _ = comm.exchange(to_all(comm, token))
    aside = target.parent / f".{target.name}.{int(received[0][0]):012x}.tmp"
    try:
        mine = write_part(aside, (part.rank, part.size), part.rows, part.cols, arrays)
        parts = collect(comm, mine)
        if comm.rank == 0:
            complete(aside, target, (part.n_rows, part.n_cols), facts, parts)
        comm.exchange(nothing(comm))  # nobody returns before the folder is there
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
