"""What once did harm is tried for ever, and a few new inputs with it."""

from __future__ import annotations

import shutil

import pytest

from .fuzz import CORPUS, fuzz
from .seeds import seeds
from .supervise import supervise
from .targets import TARGETS


@pytest.mark.parametrize("target", sorted(path.name for path in CORPUS.iterdir()))
def test_corpus(target, tmp_path):
    cases = sorted(CORPUS.glob(f"{target}/*"))

    def attempt(number: int) -> bool:
        place = tmp_path / str(number)
        shutil.copytree(cases[number], place)  # some targets write there
        return TARGETS[target](place / _read_first(place))

    outcome = supervise(attempt, range(len(cases)), patience=60.0)
    assert outcome.found == {}
    assert outcome.tried == len(cases)


def _read_first(place) -> str:
    (name,) = (path.name for path in place.iterdir() if not path.name.endswith(".partial"))
    return name


def test_every_seed_is_in_the_corpus():
    for name, files in seeds().items():
        for path, data in files.items():
            if not path.endswith(".parquet"):  # these tell which version of pyarrow wrote them
                assert (CORPUS / name / path).read_bytes() == data


@pytest.mark.parametrize("target", TARGETS)
def test_a_few_new_inputs(target):
    outcome = fuzz(target, range(-100, 0))
    assert outcome.found == {}
    assert outcome.tried == 100
