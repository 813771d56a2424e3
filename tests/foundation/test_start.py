"""Starting the program: what takes long to import waits until it is needed."""

import subprocess
import sys
from pkgutil import resolve_name

from fartbench import jobs
from generation import built_in
from generation.providers import registry

SLOW = {"av", "boto3", "celery", "httpx", "numpy", "redis", "scipy"}


def test_no_slow_library_is_loaded_before_it_is_used(process_environment: dict[str, str]) -> None:
    program = f"import sys, django; django.setup(); print(*({SLOW} & sys.modules.keys()))"
    loaded = subprocess.run(
        [sys.executable, "-c", program],
        env=process_environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout.split() == []


def test_everything_that_is_named_by_its_path_is_there() -> None:
    handlers = jobs._handlers.values()
    providers = [*built_in.PROVIDERS.values(), *registry._ADAPTERS.values()]
    for path in [*handlers, *jobs._wakers, *built_in._row_makers, *providers]:
        assert callable(resolve_name(path)), path
