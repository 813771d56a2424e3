"""What every part of a protocol file is made of: the base of its models, and the texts it may hold.

No Django here.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9._-]{0,39}$")]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
AnswerText = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,19}$")]
Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+(-[a-z0-9.]+)?$")]


class Part(BaseModel):
    """A frozen piece of a protocol that knows every key it accepts."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def repeated(values: Iterable[str]) -> list[str]:
    """Return the values that stand there more than once."""
    return [value for value, count in Counter(values).items() if count > 1]
