"""What comes after acceptance: looking how far it is, fetching what was made, and storing what came
of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from fartbench import jobs
from fartbench.stores import raw_clips
from generation.chunks import keep_logged, keep_timing
from generation.configurations import ConfigurationFile, cost_of
from generation.models import CostBasis, Origin, Sample, SampleState, Submission, SubmissionState
from generation.providers.access import is_simulated
from generation.providers.port import (
    Failed,
    Fetched,
    Gone,
    NoAnswer,
    Output,
    Pending,
    Ready,
    Refused,
    Usage,
)
from generation.providers.registry import STREAM_KEYS, provider
from generation.providers.streams import FOLDER, kept
from generation.states import look_again_s
from generation.steps import advance, sample_of
from generation.storing import Stored, store

# A job that a provider has not finished by then has failed; how long each takes at most is not
# documented anywhere.
DEADLINE = timedelta(hours=3)
DOWNLOADS = 6
WAIT_FOR_DOWNLOAD_S = 15.0


def _accepted(sample: Sample) -> Submission:
    return sample.submissions.get(state=SubmissionState.ACCEPTED)


def look(subject: str, _report: jobs.Report) -> None:
    """Ask once how far an accepted sample is, and take it where the answer leads."""
    sample = sample_of(subject)
    if sample is None or sample.state not in (SampleState.ACCEPTED, SampleState.RUNNING):
        return
    submission = _accepted(sample)
    answer = provider(sample.provider).look(submission.provider_id, submission.handle)
    if isinstance(answer, Ready):
        _made(sample, submission, answer)
    elif isinstance(answer, Refused):
        _end(sample, SampleState.REFUSED, _coded(answer.code, answer.reason), Usage())
    elif isinstance(answer, Failed):
        _end(
            sample,
            SampleState.FAILED,
            _coded(answer.code, answer.reason),
            answer.usage,
        )
    else:
        _later(sample, answer)


def _coded(code: str, reason: str) -> str:
    if code and code not in reason:
        return f"{reason} [{code}]"
    return reason


def _later(sample: Sample, found: Pending | NoAnswer) -> None:
    age = timezone.now() - (sample.accepted_at or timezone.now())
    if age > DEADLINE:
        _end(
            sample,
            SampleState.FAILED,
            f"Not finished {DEADLINE.total_seconds() / 3600:g} hours after acceptance.",
            Usage(),
        )
        return
    wait_s = look_again_s(age.total_seconds())
    if isinstance(found, NoAnswer):
        wait_s = max(wait_s, found.retry_after_s or 0)
    started = isinstance(found, Pending) and found.started
    state = SampleState.RUNNING if started else SampleState(sample.state)
    advance(sample, state, delay_s=wait_s)


def _made(sample: Sample, submission: Submission, found: Ready) -> None:
    file = _file(sample)
    returned = {
        **dict(found.returned),
        "outputs": [output.url for output in found.outputs],
        "usage_reported": found.usage.as_json(),
    }
    known = {
        "returned": returned,
        "model_version": found.model_version[:120],
        **_cost(file, found.usage),
    }
    if file.expected_model and found.model_version and found.model_version != file.expected_model:
        words = (
            f"The provider answered with the model {found.model_version!r}, and the configuration "
            "is "
            f"{file.expected_model!r}. "
            "The result does not count for it."
        )
        advance(
            sample, SampleState.BLOCKED, words=words, reason=words, submission=submission, **known
        )
        return
    advance(sample, SampleState.OUTPUT_READY, submission=submission, **known)


def _file(sample: Sample) -> ConfigurationFile:
    file = sample.cell.configuration.file
    if file is None:
        raise LookupError(f"{sample.cell.configuration} has no file, and was bought all the same")
    return file


def _cost(file: ConfigurationFile, usage: Usage) -> dict[str, Any]:
    cost = cost_of(file.price, usage, seconds=file.fixed.duration_s)
    return {"cost_usd": cost.usd, "cost_basis": cost.basis}


def _end(sample: Sample, state: SampleState, reason: str, usage: Usage) -> None:
    """End without a clip. Whether that was charged is known only where the provider says so."""
    reported = usage.usd is not None or usage.usd_ticks is not None
    if reported:
        cost = _cost(_file(sample), usage)
    else:
        cost = {"cost_usd": None, "cost_basis": CostBasis.UNKNOWN}
    returned = {**sample.returned, "usage_reported": usage.as_json()}
    advance(
        sample,
        state,
        words=reason,
        reason=reason,
        generated_at=timezone.now(),
        returned=returned,
        **cost,
    )


def fetch(subject: str, report: jobs.Report) -> None:
    """Download candidate 0 of what was made, store it untouched, and end the sample with it."""
    sample = sample_of(subject)
    if sample is None or sample.state != SampleState.OUTPUT_READY:
        return
    submission = _accepted(sample)
    url = (sample.returned.get("outputs") or [""])[0]
    source, handle = provider(sample.provider), submission.handle
    if source.key in STREAM_KEYS:
        folder = _stream_folder(submission)
        if not _may_listen(sample, folder):
            words = (
                "The worker that listened to the stream was lost, and a stream is never opened "
                "again."
            )
            advance(
                sample, SampleState.LOST, words=words, reason=words, generated_at=timezone.now()
            )
            return
        handle = {**handle, FOLDER: str(folder)}
    with raw_clips().scratch(".mp4") as out:
        got = source.fetch(submission.provider_id, handle, Output(0, url), out, report)
        if isinstance(got, Fetched):
            _stored(sample, store(out), got)
        elif isinstance(got, Refused | Failed):
            _ended_early(sample, submission, got)
        elif isinstance(got, Gone):
            _look_for_a_new_link(sample, submission, url, got.reason)
        else:
            _download_again(sample, got.reason, got.retry_after_s)


def _stream_folder(submission: Submission) -> Path:
    return Path(settings.DATA_DIR) / "streams" / str(submission.token)


def _may_listen(sample: Sample, folder: Path) -> bool:
    """Note that a stream is about to be opened, and say whether it may be: once, or it is read
    where it was kept.
    """
    if sample.returned.get("opened_at"):
        return kept(folder) is not None
    returned = {**sample.returned, "opened_at": timezone.now().isoformat()}
    noted = Sample.every.filter(
        pk=sample.pk, state=SampleState.OUTPUT_READY, turn=sample.turn, returned=sample.returned
    ).update(returned=returned)
    sample.returned = returned
    return bool(noted)


def _ended_early(sample: Sample, submission: Submission, got: Refused | Failed) -> None:
    """End a stream that was declined or broke off.

    What had come of it is kept, and counts as no clip.
    """
    with transaction.atomic():
        if log := kept(_stream_folder(submission)):
            keep_logged(sample, log)
        _end(
            sample,
            SampleState.REFUSED if isinstance(got, Refused) else SampleState.FAILED,
            got.reason,
            Usage(),
        )


def _stored(sample: Sample, stored: Stored, got: Fetched) -> None:
    returned: Mapping[str, Any] = {**sample.returned, "artifact_sha256": stored.sha256}
    if stored.clip is not None:
        now = timezone.now()
        with transaction.atomic():
            if advance(
                sample, SampleState.DELIVERED, clip=stored.clip, generated_at=now,
                returned=returned, reason="", origin=_origin(sample),
                truth=got.truth,
            ):  # fmt: skip
                keep_timing(sample, stored.clip, got.stream)
    elif not stored.certain:
        sample.returned = dict(returned)
        _read_again(sample, stored)
    elif sample.returned.get("artifact_sha256") == stored.sha256:
        words = f"What the provider delivered is not a clip: {stored.fault}"
        advance(sample, SampleState.FAILED, words=words, reason=words, generated_at=timezone.now())
    else:
        # It may have been damaged on the way; the same bytes a second time are what the provider
        # has.
        sample.returned = dict(returned)
        _download_again(sample, stored.fault)


def _origin(sample: Sample) -> str:
    """Return where the clip comes from: a stand-in too where the order went to the provider, and it
    was fetched after the address was changed.
    """
    return Origin.STAND_IN if is_simulated(sample.provider) else sample.origin


def _read_again(sample: Sample, stored: Stored) -> None:
    """Look at the file again later; when every look kills the reader, that is the sample's end and
    not the worker's.
    """
    if int(sample.returned.get("downloads", 0)) + 1 < DOWNLOADS:
        _download_again(sample, stored.fault)
        return
    words = (
        f"What the provider delivered could not be read in {DOWNLOADS} tries. Its bytes are kept "
        f"as {stored.sha256}. "
        f"The last try: {stored.fault}"
    )
    advance(sample, SampleState.FAILED, words=words, reason=words, generated_at=timezone.now())


def _download_again(sample: Sample, reason: str, wait_s: float | None = None) -> None:
    tries = int(sample.returned.get("downloads", 0)) + 1
    returned = {**sample.returned, "downloads": tries}
    if tries >= DOWNLOADS:
        words = f"The clip was made and could not be fetched in {tries} tries. The last: {reason}"
        advance(
            sample,
            SampleState.LOST,
            words=words,
            reason=words,
            generated_at=timezone.now(),
            returned=returned,
        )
    else:
        advance(
            sample,
            SampleState.OUTPUT_READY,
            delay_s=wait_s or WAIT_FOR_DOWNLOAD_S,
            returned=returned,
        )


def _look_for_a_new_link(sample: Sample, submission: Submission, url: str, reason: str) -> None:
    answer = provider(sample.provider).look(submission.provider_id, submission.handle)
    outputs = answer.outputs if isinstance(answer, Ready) else ()
    fresh = outputs[0].url if outputs else ""
    if fresh and fresh != url:
        sample.returned = {**sample.returned, "outputs": [output.url for output in outputs]}
        _download_again(sample, reason, 1.0)
    elif isinstance(answer, NoAnswer):
        _download_again(sample, answer.reason, answer.retry_after_s)
    else:
        words = f"The clip was made and is no longer available: {reason}"
        advance(sample, SampleState.LOST, words=words, reason=words, generated_at=timezone.now())
