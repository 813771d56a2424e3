"""A lab's own judge, from a YAML file. No Django here."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError
from ruamel.yaml.error import YAMLError

from fartbench.datafiles import yaml_content
from fartbench.errors import BadInput
from fartbench.protocol import JudgeModel


class JudgeFileRefused(BadInput):
    """A judge's file that cannot be used; each fault is named."""


def read_judge(path: Path) -> JudgeModel:
    """Return the judge that a file describes, with the keys of a protocol's ``judges.models``.

    Raises JudgeFileRefused.
    """
    try:
        content = yaml_content(path.read_text(encoding="utf-8-sig"))
        return JudgeModel.model_validate(content)
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        raise JudgeFileRefused(str(path), [f"the file cannot be read: {str(error).splitlines()[0]}"]) from error
    except ValidationError as error:
        faults = [f"{'.'.join(str(part) for part in fault['loc']) or 'the file'}: {fault['msg']}"
                  for fault in error.errors()]  # fmt: skip
        raise JudgeFileRefused(str(path), faults) from error
