"""Makes training clips: the built-in renderer draws takes whose truth is known, and their answers
are explained.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from blinding.copying import blind_copy
from fartbench import audit, jobs
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.models import ProtocolVersion
from fartbench.protocol import Form, Response
from fartbench.stores import blind_copies
from review.errors import TrainingRefused
from review.models import TrainingClip
from review.practice import Solution
from review.services import StoredFile, keep_training
from simulation import local
from simulation.local import Scene, Take, Truth
from simulation.training_words import reason_for

# What a reviewer should have met before it counts: a faultless clip, a wrong source, and no event,
# where N/A applies.
TAKES = (
    Take(scene=Scene.LIFT, seed=11, width=640, height=360),
    Take(
        scene=Scene.TOAST,
        seed=12,
        width=640,
        height=360,
        wrong_source=True,
        realism=0.2,
        audio_delay=0.35,
    ),
    Take(scene=Scene.CHAIR, seed=13, width=640, height=360, events=0),
)
FAIR_WITHIN = 1  # points of a scale


def make_training(
    *, protocol: ProtocolVersion, actor: str, on_clip: Callable[[], None] = lambda: None
) -> list[TrainingClip]:
    """Draw the training clips of a protocol and store them with explained answers; what is there
    already stays.

    Raises TrainingRefused when the renderer draws none of the protocol's scenes, or not what its
    form asks.
    """
    if there := list(protocol.training_clips.all()):
        return there
    refuse_undrawable(protocol)
    clips = []
    for take in takes_for(protocol):
        file, truth = _drawn(take)
        clips.append((take.scene.value, file, solutions_of(protocol.form(take.scene), truth)))
        on_clip()
    return keep_training(protocol=protocol, clips=clips, actor=actor)


def run_training(subject: str, _report: jobs.Report) -> None:
    """Do the job that `request_training` left."""
    make_training(protocol=ProtocolVersion.objects.get(pk=subject), actor=audit.SYSTEM)


def takes_for(protocol: ProtocolVersion) -> list[Take]:
    """Return the takes whose scene the protocol has and whose truth answers all that its form
    asks.
    """
    scenes = {scene.key for scene in protocol.rules.scenes}
    questions = {question.key for question in protocol.rules.questions}
    known = {"event", "cause", "detail", "sound", "timing", "people"}
    return [take for take in TAKES if take.scene in scenes and questions <= known]


def refuse_undrawable(protocol: ProtocolVersion) -> None:
    """Raise TrainingRefused for a protocol of whose scenes the renderer draws none."""
    if not takes_for(protocol):
        raise TrainingRefused(
            f"The built-in renderer draws no scene of {protocol}, so it has no training clips to "
            "offer. "
            "Rounds on it start without training."
        )


def _drawn(take: Take) -> tuple[StoredFile, Truth]:
    store = blind_copies()
    with store.scratch(".mp4") as scratch:
        raw = scratch.with_name("raw.mp4")
        truth = local.render(take, raw, ffmpeg=ffmpeg_binary())
        copy = blind_copy(raw, scratch)
        store.keep(scratch, sha256=copy.blind_sha256)
    return StoredFile(copy.blind_sha256, copy.blind_size), truth


def solutions_of(form: Form, truth: Truth) -> dict[str, Solution]:
    """Return the explained answer to every question: N/A where nothing was heard and the form
    permits it.
    """
    given: dict[str, Response] = {}
    solutions: dict[str, Solution] = {}
    for question in form.questions:
        plain = _plain_answer(question.key, truth)
        best = (_na(form, question.key, given) if not truth.audible else None) or plain
        given[question.key] = best
        fair = {str(plain), *_near(form, question.key, plain)} - {str(best)}
        solutions[question.key] = Solution(
            str(best), tuple(sorted(fair)), reason_for(question.key, truth)
        )
    return solutions


def _plain_answer(question: str, truth: Truth) -> Response:
    answer = asdict(truth.answers)[question]
    return Response(value=answer if isinstance(answer, str) else str(round(answer)))


def _near(form: Form, question: str, plain: Response) -> set[str]:
    if not form.protocol.is_scale(form.protocol.question(question)) or plain.value is None:
        return set()
    values = {option.value for option in form.options(question)}
    return {value for value in values if abs(int(value) - int(plain.value)) <= FAIR_WITHIN}


def _na(form: Form, question: str, given: dict[str, Response]) -> Response | None:
    # An N/A without a condition says something else than that nothing was heard.
    fitting = [answer for answer, _ in form.na_options(question) if answer.requires_question]
    return next((answer.response for answer in fitting if answer.condition_holds(given)), None)
