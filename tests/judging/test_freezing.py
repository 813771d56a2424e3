"""A judge protocol: frozen and hashed before anything is sent, and nothing else is ever sent."""

import pytest
from django.db import IntegrityError, transaction

from blinding.models import Stimulus
from fartbench.models import AuditEntry, Job, JobState, ProtocolVersion, Round, RoundState
from fartbench.protocol import digest_of
from judging import freezing
from judging.errors import CannotFreeze, JudgeChanged, NoJudges
from judging.freezing import freeze_judge, rules_of
from judging.models import Judge, JudgeRun, JudgeTry, RunState, Variant
from judging.ports.gemini import GeminiJudge
from review.models import Retirement
from tests import factories
from tests.judging.judged import GEMINI, asked, judged_round, request, running_judges, work

pytestmark = pytest.mark.django_db


def frozen(round_: Round, **options: str) -> Judge:
    return freeze_judge(
        round_=round_, model=rules_of(round_).model(GEMINI), actor="test", **options
    )


def test_it_holds_everything_that_decides_what_is_sent_and_how_it_counts() -> None:
    round_ = judged_round(clips=2, scenes=("r01-lift", "r01-toast"))
    judge = frozen(round_)
    content = judge.content
    body = content["forms"]["r01-toast"]["body"]
    sent = body["config"]
    assert judge.digest == digest_of(content)
    assert (content["judge"]["model"], body["model"]) == (GEMINI, GEMINI)
    assert "Did the sound come from the speaker?" in body["contents"][0]["parts"][1]["text"]
    assert body["contents"][0]["parts"][0]["video_metadata"] == {"fps": 8}
    assert (sent["temperature"], sent["seed"], sent["thinking_config"]) == (
        1.0,
        7,
        {"thinking_level": "LOW"},
    )
    assert len(sent["safety_settings"]) == 4
    assert "anyOf" in sent["response_json_schema"]["properties"]["answers"]
    assert content["calibration"]["primary"] == {"part": 75, "of": 100}
    assert content["calibration"]["fewest_clips"] == 10
    assert content["calibration"]["discrimination"]["statistic"] == "somers_d_within_scene"
    assert set(content["program"]) == {"version", "sources", "client"}
    clips = sorted([s.scene, s.sha256, ""] for s in Stimulus.objects.filter(round=round_))
    assert content["clips"] == clips
    assert len(clips) == 4
    assert AuditEntry.objects.get(action="judge frozen").details["digest"] == judge.digest


def test_it_names_nothing_that_a_judge_must_not_know() -> None:
    round_ = judged_round()
    text = str(frozen(round_).content["forms"])
    for secret in (
        round_.name,
        round_.seed,
        *Stimulus.objects.values_list("pk", flat=True),
        ".mp4",
    ):
        assert secret not in text


def test_freezing_again_changes_nothing_and_something_else_is_refused() -> None:
    round_ = judged_round()
    first = frozen(round_)
    assert frozen(round_) == first
    changed = rules_of(round_).model(GEMINI).model_copy(update={"model": "gemini-9"})
    with pytest.raises(JudgeChanged, match=r"another judge.model, another forms.r01-lift"):
        freeze_judge(round_=round_, model=changed, actor="test")


def test_the_database_keeps_a_frozen_judge() -> None:
    judge = frozen(judged_round())
    for change in ({"content": {}}, {"digest": "0" * 64}, {"name": "x"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Judge.objects.filter(pk=judge.pk).update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        Judge.objects.filter(pk=judge.pk).delete()


def test_a_round_that_was_not_opened_or_has_no_judges_freezes_none() -> None:
    with pytest.raises(CannotFreeze, match="frozen once it was opened"):
        frozen(factories.make_round())
    round_ = judged_round()
    with pytest.raises(
        CannotFreeze, match="no sensitivity run 'louder'; it has reversed, muted, no_picture"
    ):
        frozen(round_, variant="louder")
    content = {key: part for key, part in round_.protocol.content.items() if key != "judges"}
    bare = ProtocolVersion.objects.create(
        name="bare", version="1.0.0", digest=digest_of(content), content=content
    )
    with pytest.raises(NoJudges, match="no section “judges”"):
        rules_of(factories.make_round(protocol=bare))


def refused_words(monkeypatch: pytest.MonkeyPatch) -> str:
    """Work, and return why the one job was refused; nothing may have reached the judge."""
    with running_judges(monkeypatch) as stand_in:
        work()
    assert stand_in.asked == []
    assert JudgeTry.objects.count() == 0
    assert JudgeRun.objects.get().state == RunState.DUE
    job = Job.objects.get(kind="judge")
    assert job.state == JobState.FAILED
    return job.error


def test_with_another_program_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    request(judged_round())
    monkeypatch.setattr(freezing, "sources_digest", lambda: "0" * 64)
    assert "was frozen with another program.sources" in refused_words(monkeypatch)


def test_with_another_request_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    request(judged_round())
    original = GeminiJudge.request

    def warmer(self: GeminiJudge, ask: object) -> object:
        made = original(self, ask)
        made.body["config"]["temperature"] = 0.2
        return made

    monkeypatch.setattr(GeminiJudge, "request", warmer)
    assert "was frozen with another forms.r01-lift" in refused_words(monkeypatch)


def test_a_clip_that_is_not_in_the_list_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = judged_round()
    (judge,) = request(round_)
    run = judge.runs.get()
    Retirement.objects.create(
        stimulus=run.stimulus, outcome=Retirement.Outcome.REPLACED, reason="x"
    )
    assert "is not in the list of clips" in refused_words(monkeypatch)


def test_a_clip_that_was_changed_in_storage_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    (judge,) = request(judged_round())
    path = judge.runs.get().stimulus.path
    path.chmod(0o644)
    good = path.read_bytes()
    path.write_bytes(good + b"x")
    try:
        assert "was changed in storage" in refused_words(monkeypatch)
    finally:
        path.write_bytes(good)


def test_a_published_round_is_not_judged_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = judged_round()
    request(round_)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.PUBLISHED)
    assert "its judges are done" in refused_words(monkeypatch)


def test_a_sensitivity_run_stands_beside_the_frozen_one(monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = judged_round()
    with running_judges(monkeypatch) as stand_in:
        asked(round_)
        asked(round_, variant=Variant.REVERSED)
    frozen_, reversed_ = Judge.objects.order_by("variant")
    assert (frozen_.variant, reversed_.variant) == ("frozen", "reversed")
    assert frozen_.digest != reversed_.digest
    assert len(stand_in.asked) == 2
    first, second = (entry.body.decode() for entry in stand_in.asked)
    assert first.index("1 = Obviously fake") < first.index("5 = Completely real")
    assert second.index("5 = Completely real") < second.index("1 = Obviously fake")
