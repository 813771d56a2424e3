"""A lab's own judge, from a YAML file. No Django here."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from fartbench.datafiles import DataError, read_yaml
from fartbench.errors import BadInput
from fartbench.protocol import JudgeModel


class JudgeFileRefused(BadInput):
    """A judge's file that cannot be used; each fault is named."""


def read_judge(path: Path) -> JudgeModel:
    """Return the judge that a file describes, with the keys of a protocol's ``judges.models``.

    Raises JudgeFileRefused.
    """
    try:
        return JudgeModel.model_validate(read_yaml(path))
    except DataError as error:
        raise JudgeFileRefused(error.what, error.faults) from error
    except ValidationError as error:
        faults = [f"{'.'.join(str(part) for part in fault['loc']) or 'the file'}: {fault['msg']}"
                  for fault in error.errors()]  # fmt: skip
        raise JudgeFileRefused(str(path), faults) from error
