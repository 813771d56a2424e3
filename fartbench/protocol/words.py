"""What a protocol's results are called: the words of pages that several kinds of protocols share.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """Who is tested, in what, what each makes of it, and what of that is judged; each takes an s
    for several.
    """

    configuration: str
    scene: str
    clip: str
    stimulus: str


OF_CLIPS = Words("configuration", "scene", "clip", "clip")
OF_ROLLOUTS = Words("system", "scenario", "rollout", "window")
