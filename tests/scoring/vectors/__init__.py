"""Published and twice-computed values that the statistics must reproduce; each file names its
source.
"""

import json
from pathlib import Path


def load_vector(name):
    """The contents of one vector file, by its name without the ending."""
    return json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
