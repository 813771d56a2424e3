"""Typed makers of valid rows for tests: a protocol, a round, blind copies that play, a cohort, an
open round.

Every function takes what a test cares about and fills in the rest. Clips are made once per session
by the packaged ffmpeg; `tiny_clip` gives their bytes.
"""

from __future__ import annotations

from functools import cache
from itertools import count
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from blinding.models import Stimulus
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.models import ProtocolVersion, Round, RoundState
from fartbench.protocol import Response, form_for, load_protocol
from fartbench.storage import file_sha256
from fartbench.stores import blind_copies
from review.models import AnswerSheet, Reviewer, Source, TrainingClip
from review.practice import Solution
from review.services import (
    InviteLink,
    StoredFile,
    enter_sheet,
    keep_training,
    plan_orders,
    set_cohort,
    write_forms,
)
from review.services.cohort import primary_members

CORE_R01 = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "core-r01" / "1.0.0"
CORE_V01 = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "core-v0.1" / "0.1.0"
CLIP_SECONDS = 1.2
_numbers = count(1)


@cache
def tiny_clip(
    *,
    number: int = 0,
    seconds: float = CLIP_SECONDS,
    fps: int = 24,
    sound: bool = True,
    size: str = "192x108",
) -> bytes:
    """Return an MP4 of ``size`` with a test picture and, with ``sound``, a short tone in its
    middle.
    """
    with TemporaryDirectory() as folder:
        out = Path(folder) / "clip.mp4"
        middle = seconds / 2
        wave = f"sin(2*PI*{330 + 20 * number}*t)*between(t\\,{middle - 0.2}\\,{middle + 0.2})"
        tone = f"aevalsrc={wave}:d={seconds}"
        picture = f"testsrc2=size={size}:rate={fps}:duration={seconds},hue=h={number * 40 % 360}"
        sound_input = ["-f", "lavfi", "-i", tone] if sound else []
        sound_output = ["-c:a", "aac", "-b:a", "64k"] if sound else ["-an"]
        command = [
            str(ffmpeg_binary()), "-nostdin", "-v", "error", "-f", "lavfi", "-i", picture,
            *sound_input,
            "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", str(fps),
            *sound_output,
            "-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact",
            "-map_metadata", "-1", str(out),
        ]  # fmt: skip
        run(command, check=True)
        return out.read_bytes()


def padded(data: bytes, size: int, mark: int = 0) -> bytes:
    """Return an MP4 made ``size`` bytes long by a free box at its end; another ``mark`` makes it
    another file.
    """
    gap = size - len(data)
    return data + gap.to_bytes(4, "big") + b"free" + mark.to_bytes(gap - 8, "big")


# Reading a protocol's file takes half a second, and the files that tests name do not change while
# they run.
_read_once = cache(load_protocol)


def make_protocol(folder: Path = CORE_R01) -> ProtocolVersion:
    """Return the loaded protocol of ``folder``, core-r01 unless another is named."""
    loaded = _read_once(folder)
    row, _ = ProtocolVersion.objects.get_or_create(
        digest=loaded.digest,
        defaults={
            "name": loaded.protocol.name,
            "version": loaded.protocol.version,
            "content": loaded.content,
        },
    )
    return row


def make_round(
    *, name: str = "", protocol: ProtocolVersion | None = None, scenes: list[str] | None = None
) -> Round:
    """Return a round that is not open yet."""
    return Round.objects.create(
        name=name or f"round-{next(_numbers)}",
        protocol=protocol or make_protocol(),
        scene_keys=scenes or [],
    )


def stored_copy(data: bytes) -> tuple[str, int]:
    """Put a file into the store of blind copies; return its SHA-256 and its size."""
    with blind_copies().scratch(".mp4") as scratch:
        scratch.write_bytes(data)
        sha256 = file_sha256(scratch)
        blind_copies().keep(scratch, sha256=sha256)
    return sha256, len(data)


def make_stimulus(
    round: Round,
    *,
    scene: str = "r01-lift",
    data: bytes | None = None,
    seconds: float = CLIP_SECONDS,
    size: int = 80_000,
    **window: str,
) -> Stimulus:
    """Return a stimulus whose blind copy lies in the store, padded to ``size`` bytes; without a key
    to any clip.

    ``window`` says what of a rollout it is: its form, unit and place.
    """
    mark = (
        next(_numbers) if data is None else 0
    )  # no two blind copies of different clips are one file
    data = tiny_clip(seconds=seconds) if data is None else data
    sha256, stored = stored_copy(padded(data, size, mark) if len(data) < size else data)
    facts = {"duration_s": seconds, "has_audio": True}
    return Stimulus.objects.create(
        round=round, scene=scene, sha256=sha256, size=stored, facts=facts, **window
    )


def make_cohort(round: Round, *, prefix: str = "") -> list[InviteLink]:
    """Set a cohort of as many people as the protocol asks for; return their invite links."""
    prefix = prefix or f"p{next(_numbers)}-"
    size = round.protocol.rules.cohort.size
    emails = [f"{prefix}{number}@example.org" for number in range(1, size + 1)]
    return set_cohort(round=round, emails=emails, actor="test")


def open_round(
    *,
    configurations: int = 2,
    scenes: list[str] | None = None,
    name: str = "",
    protocol: ProtocolVersion | None = None,
    clips: list[bytes] | None = None,
    consent: bool = True,
) -> Round:
    """Return a round open for review, with one stimulus per scene and configuration, a cohort,
    orders and forms.

    ``clips`` are the bytes of the stimuli in turn; ``consent`` says whether the cohort has been
    through the start page.
    """
    round_ = make_round(name=name, protocol=protocol, scenes=scenes)
    factors: dict[str, str] = {}
    for configuration in range(configurations):
        for scene in round_.scenes:
            data = clips[len(factors) % len(clips)] if clips else None
            factors[make_stimulus(round_, scene=scene, data=data).pk] = f"factor-{configuration}"
    make_cohort(round_)
    with transaction.atomic():
        write_forms(round_.protocol)
        plan_orders(round=round_, factors=factors, effort=0.1)
        round_.state, round_.opened_at = RoundState.REVIEWING, timezone.now()
        round_.save()
        if consent:
            round_.members.update(consented_at=timezone.now(), sound_checked_at=timezone.now())
    return round_


def make_training_clips(
    protocol: ProtocolVersion, *, scenes: tuple[str, ...] = ("r01-lift", "r01-chair")
) -> list[TrainingClip]:
    """Return stored training clips of a core-r01 protocol: all right in the first, nothing heard in
    the others.
    """
    clips = []
    for number, scene in enumerate(scenes):
        right = (
            answers()
            if number == 0
            else answers(event="no", cause="na:no_event", sound="na:no_sound", timing="1")
        )
        solutions = {
            key: Solution(str(given), (), f"because of {key}") for key, given in right.items()
        }
        clips.append((scene, StoredFile(*stored_copy(tiny_clip(number=number))), solutions))
    return keep_training(protocol=protocol, clips=clips, actor="test")


def reviewers_of(round: Round) -> list[Reviewer]:
    """Return the primary cohort, by place."""
    return [member.reviewer for member in primary_members(round)]


def make_staff(username: str = "ada") -> User:
    """Return an account with staff rights."""
    return User.objects.create_user(
        username, f"{username}@example.org", "a-long-password", is_staff=True
    )


def answers(**changes: str) -> dict[str, Response]:
    """Return a full set of core-r01 answers, all right, with ``changes`` such as
    ``cause="na:no_event"``.
    """
    texts = {
        "event": "yes",
        "cause": "yes",
        "detail": "yes",
        "sound": "4",
        "timing": "4",
        "people": "4",
    } | changes
    return {question: Response.parse(text) for question, text in texts.items()}


def pilot_answers(scene: str = "fb-c01", **changes: str) -> dict[str, Response]:
    """Return a full set of core-v0.1 answers to a scene: what a compliant clip gets, every
    dimension 3.
    """
    protocol = _read_once(CORE_V01).protocol
    form = form_for(protocol, scene)
    texts = dict.fromkeys(protocol.keys_of("choice"), "yes") | dict.fromkeys(
        protocol.keys_of("flag"), "no"
    )
    texts |= dict.fromkeys(protocol.keys_of("scale"), "3") | dict(form.scene.expects)
    texts |= {"compliant_events": str(form.scene.required_events), "first_fart_time": "3.4"}
    texts |= {question: str(response) for question, response in form.settled.items()} | changes
    return {question: Response.parse(texts[question]) for question in form.keys}


def make_locked_sheet(reviewer: Reviewer, stimulus: Stimulus, **changes: str) -> AnswerSheet:
    """Return a locked sheet, entered as a whole."""
    return enter_sheet(
        reviewer=reviewer, stimulus=stimulus, responses=answers(**changes), source=Source.SIMULATED
    )


def full_playback(seconds: float = CLIP_SECONDS) -> dict[str, object]:
    """Return what a player reports after one full play."""
    return {
        "covered": [[[0.0, seconds]]],
        "plays": 1,
        "watched_s": seconds,
        "viewport": [1366, 768],
    }
