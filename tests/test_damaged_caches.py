"""No cache changes what a build writes: a cache that is damaged, foreign or in use is ignored."""

import pickle

import pytest

from kismet_build.build import cached_pickle
from kismet_build.build.build_cache import BuildRequest
from kismet_build.build.cached_pickle import from_pickle

# --- pickles


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("builtins", "eval"),
        # Reached through a module of this program.
        ("kismet_build.build.build_cache", "os.system"),
        ("kismet_build.build.build_cache", "sha256"),
        ("kismet_build.build.build_cache", "Path"),
        ("kismet_build.build.processes", "run_parallel"),
    ],
)
def test_pickle_of_anything_but_a_class_of_this_program_is_ignored(module: str, name: str) -> None:
    called = f"\x80\x04\x8c{chr(len(module))}{module}\x8c{chr(len(name))}{name}\x93.".encode("latin-1")
    assert pickle.loads(called), "the pickle is valid"
    assert from_pickle(called) is None
    with pytest.raises(pickle.UnpicklingError, match=name):
        cached_pickle._find_class(module, name)


def test_pickle_of_a_class_of_this_program_is_loaded() -> None:
    assert from_pickle(pickle.dumps(BuildRequest)) is BuildRequest
