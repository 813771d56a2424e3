"""What goes over the wire: the clip, the title, the questions and nothing else, byte for byte."""

import base64
import json
import re
from pathlib import Path

import pytest
from django.conf import settings as project

from blinding.models import Stimulus
from fartbench.protocol import JudgeModel
from judging.errors import JudgeChanged, NoJudges
from judging.files import JudgeFileRefused, read_judge
from judging.freezing import rules_of
from judging.models import JudgeRun, JudgeTry
from judging.ports.port import SettingsRefused
from judging.working import chosen_models, request_judging
from simulation.stand_ins.judges.server import _decoded
from tests.judging.judged import GEMINI, RIGHT, asked, judged_round, running_judges, truths_of

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]  # no row decides what is sent

# The question text of the lift, as the review screen words it (Core R01 method page; help and N/A
# of this project).
TEXT = """\
Watch and listen to the clip. Then answer the questions below about this clip, from what is seen and heard in it and \
from nothing else: settle the facts first, then rate. If the clip does not let you tell, a fact is Unclear. N/A is \
permitted where it is offered and its condition holds; it is never required. Reply with JSON as the schema says.

Scene: The Lift

1. event (Event): Is exactly one fart heard?
   Two or more farts are a No. Then answer the rest about what you heard.
   yes = Yes
   no = No
   unclear = Unclear

2. cause (Source or cause): Did the sound come from the woman in the yellow raincoat?
   yes = Yes
   no = No
   unclear = Unclear
   na:no_event = N/A: Nothing was heard, only when “Event” is No

3. detail (Scene detail): Did the others react to her and not to someone else?
   If nobody reacts, the answer is No.
   yes = Yes
   no = No
   unclear = Unclear
   na:no_event = N/A: Nothing was heard, only when “Event” is No

4. sound (Sound): How real did the fart sound?
   1 = Obviously fake
   2 = Mostly fake
   3 = Hard to tell
   4 = Mostly real
   5 = Completely real
   na:no_sound = N/A: Nothing was heard, only when “Event” is No

5. timing (Timing): Did the timing make sense?
   1 = Way off
   2 = Mostly off
   3 = Roughly right
   4 = Nearly right
   5 = Exactly right
   na:no_event = N/A: Nothing was heard, only when “Event” is No

6. people (People and movement): Did the people and movement feel natural?
   1 = Very unnatural
   2 = Somewhat unnatural
   3 = Mixed
   4 = Mostly natural
   5 = Completely natural
   na:no_people_visible = N/A: No people can be seen
"""
FACT, SCALE, KEYS = (
    ["yes", "no", "unclear"],
    list("12345"),
    ["event", "cause", "detail", "sound", "timing", "people"],
)
PEOPLE = [*SCALE, "na:no_people_visible"]
WITH_EVENT = dict(zip(KEYS, [["yes", "unclear"], FACT, FACT, SCALE, SCALE, PEOPLE], strict=True))
WITHOUT = {
    "event": ["no"], "cause": [*FACT, "na:no_event"], "detail": [*FACT, "na:no_event"],
    "sound": [*SCALE, "na:no_sound"], "timing": [*SCALE, "na:no_event"], "people": PEOPLE,
}  # fmt: skip


def closed(properties: dict[str, object], *, ordered: bool) -> dict[str, object]:
    found = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return found | ({"propertyOrdering": list(properties)} if ordered else {})


def schema(*, ordered: bool) -> dict[str, object]:
    branches = [
        closed(
            {key: {"type": "string", "enum": values} for key, values in branch.items()},
            ordered=ordered,
        )
        for branch in (WITH_EVENT, WITHOUT)
    ]
    return closed({"answers": {"anyOf": branches}}, ordered=ordered)


def test_gemini_gets_exactly_this(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_judges(monkeypatch) as stand_in:
        round_ = judged_round()
        asked(round_)
    (entry,), (headers,) = stand_in.asked, stand_in.headers
    blind = Stimulus.objects.get().path.read_bytes()
    category = "HARM_CATEGORY_"
    expected = {
        "contents": [
            {
                "parts": [
                    {
                        "inlineData": {
                            "data": base64.b64encode(blind).decode(),
                            "mime_type": "video/mp4",
                        },
                        "videoMetadata": {"fps": 8.0},
                    },
                    {"text": TEXT},
                ],
                "role": "user",
            }
        ],
        "safetySettings": [
            {"category": category + name, "threshold": "BLOCK_ONLY_HIGH"}
            for name in ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")
        ],
        "generationConfig": {
            "temperature": 1.0,
            "candidateCount": 1,
            "maxOutputTokens": 8192,
            "seed": 7,
            "responseMimeType": "application/json",
            "responseJsonSchema": schema(ordered=True),
            "mediaResolution": "MEDIA_RESOLUTION_HIGH",
            "thinkingConfig": {"thinking_level": "LOW"},
        },
    }
    assert (
        entry.path
        == f"/gemini{JudgeTry.objects.get().endpoint}"
        == f"/gemini/v1/models/{GEMINI}:generateContent"
    )
    sent = json.loads(entry.body)
    data = sent["contents"][0]["parts"][0]["inlineData"].pop("data")
    del expected["contents"][0]["parts"][0]["inlineData"]["data"]  # type: ignore[index]
    assert _decoded(data) == blind  # the alphabet of the base64 is the SDK's own
    assert json.dumps(sent) == json.dumps(expected), (
        "order too: what is settled first must come first"
    )
    assert headers["user-agent"].startswith("google-genai-sdk/")
    assert set(headers) <= {
        "host", "accept", "accept-encoding", "connection", "content-type", "x-goog-api-key",
        "user-agent",
        "x-goog-api-client", "x-server-timeout", "content-length",
    }  # fmt: skip


def own_judge(folder: Path, **changes: object) -> JudgeModel:
    content = {
        "name": "qwen",
        "label": "Qwen",
        "service": "openai_compatible",
        "model": "qwen-omni",
    } | changes
    path = folder / "judge.yaml"
    path.write_text(json.dumps(content))  # JSON is YAML
    return read_judge(path)


def test_a_second_vendors_judge_gets_the_same_by_the_same_port(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = own_judge(tmp_path, settings={"mm_processor_kwargs": {"fps": 8}})
    with running_judges(monkeypatch) as stand_in:
        round_ = judged_round()
        stand_in.truths = truths_of(round_)
        (run,) = asked(round_, "qwen", own=[own])
    (entry,) = stand_in.asked
    blind = Stimulus.objects.get().path.read_bytes()
    url = "data:video/mp4;base64," + base64.b64encode(blind).decode()
    expected = {
        "model": "qwen-omni",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "video_url", "video_url": {"url": url}},
                    {"type": "text", "text": TEXT},
                ],
            }
        ],
        "temperature": 1.0,
        "seed": 7,
        "n": 1,
        "max_tokens": 8192,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answers", "strict": True, "schema": schema(ordered=False)},
        },
        "mm_processor_kwargs": {"fps": 8},
    }
    assert entry.body == json.dumps(expected, ensure_ascii=False, separators=(",", ":")).encode()
    assert (run.state, run.answers, run.model_version, run.cost_usd) == (
        "answered",
        RIGHT,
        "qwen-omni",
        None,
    )
    assert (run.input_tokens, run.output_tokens) == (2500, 140)


@pytest.mark.parametrize(
    ("behaviour", "state", "words"),
    [
        ("blocked", "blocked", "content_filter"),
        ("schema_breaking", "invalid", "never N/A"),
        ("wrong_model", "error", "frozen is 'qwen-omni'"),
    ],
)
def test_its_other_ends_are_told_apart_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, behaviour: str, state: str, words: str
) -> None:
    with running_judges(monkeypatch, behaviours={"qwen-omni": behaviour}) as stand_in:
        stand_in.faults["qwen-omni"].extend(["503", "reset"])
        (run,) = asked(judged_round(), "qwen", own=[own_judge(tmp_path)])
    assert (run.state, run.tries.count()) == (state, 3)
    assert words in run.reason


def test_no_request_names_where_a_clip_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_judges(monkeypatch) as stand_in:
        round_ = judged_round(clips=2, scenes=("r01-lift", "r01-chair"))
        asked(round_)
    secrets = [
        round_.name,
        round_.seed,
        *Stimulus.objects.values_list("pk", flat=True),
        *round_.scenes,
    ]
    secrets += list(round_.members.values_list("reviewer__code", flat=True))
    secrets += [str(token) for token in JudgeRun.objects.values_list("tries__token", flat=True)]
    for entry, headers in zip(stand_in.asked, stand_in.headers, strict=True):
        said = re.sub(rb'"data": ?"[^"]*"', b"", entry.body).decode() + json.dumps(headers)
        assert not [secret for secret in secrets if secret in said]


class TestOnesOwnJudge:
    def test_the_one_in_the_docs_can_be_read(self, tmp_path: Path) -> None:
        text = (Path(project.BASE_DIR) / "docs" / "judging.md").read_text(encoding="utf-8")
        (example,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
        (tmp_path / "judge.yaml").write_text(example, encoding="utf-8")
        judge = read_judge(tmp_path / "judge.yaml")
        assert (judge.service, judge.version) == ("openai_compatible", judge.model)

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"service": "post"}, "service: Input should be 'gemini' or 'openai_compatible'"),
            ({"label": ""}, "label"),
            ({"color": "red"}, "color: Extra inputs are not permitted"),
            ({"price": {"input_usd": "free", "output_usd": "1", "source": "x"}}, "price.input_usd"),
        ],
    )
    def test_a_file_with_a_fault_is_refused(
        self, tmp_path: Path, changes: dict[str, object], words: str
    ) -> None:
        with pytest.raises(JudgeFileRefused, match=re.escape(words)):
            own_judge(tmp_path, **changes)

    def test_a_file_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(JudgeFileRefused, match="there is no such file"):
            read_judge(tmp_path / "none.yaml")

    def test_names_are_told_apart(self, tmp_path: Path) -> None:
        round_ = judged_round()
        with pytest.raises(NoJudges, match="no judge 'gpt'"):
            chosen_models(round_, ["gpt"], [])
        with pytest.raises(NoJudges, match="Two judges have one name"):
            chosen_models(round_, [], [own_judge(tmp_path, name=GEMINI)])
        assert (
            len(chosen_models(round_, [], [own_judge(tmp_path)]))
            == len(rules_of(round_).models) + 1
        )

    def test_one_that_was_frozen_is_known_without_its_file(self, tmp_path: Path) -> None:
        round_ = judged_round()
        own = own_judge(tmp_path)
        request_judging(round_=round_, models=[own], actor="test")
        assert chosen_models(round_, ["qwen"], []) == [own]
        assert own in chosen_models(round_, [], [])
        # The file is still what counts where it is given: another judge of this name is refused.
        changed = own_judge(tmp_path, settings={"top_p": 0.5})
        with pytest.raises(JudgeChanged, match="settings"):
            request_judging(
                round_=round_, models=chosen_models(round_, ["qwen"], [changed]), actor="test"
            )

    @pytest.mark.parametrize(
        ("service", "settings", "words"),
        [
            (
                "openai_compatible",
                {"messages": []},
                "settings.messages is not a judge's own to set",
            ),
            ("openai_compatible", {"response_format": None}, "settings.response_format"),
            ("gemini", {"responseJsonSchema": {}}, "settings.responseJsonSchema"),
            (
                "gemini",
                {"http_options": {"base_url": "http://example.org"}},
                "settings.http_options",
            ),
            ("gemini", {"colour": "red"}, "settings.colour: Extra inputs are not permitted"),
        ],
    )
    def test_its_settings_do_not_change_what_is_asked(
        self, tmp_path: Path, service: str, settings: dict[str, object], words: str
    ) -> None:
        own = own_judge(tmp_path, service=service, settings=settings)
        with pytest.raises(SettingsRefused, match=re.escape(words)):
            request_judging(round_=judged_round(), models=[own], actor="test")
