"""Protocol files are read strictly: each fault is named with the file and the path in it."""

from pathlib import Path

import pytest
from django.conf import settings

from fartbench.protocol import ProtocolError, digest_of, load_protocol

CORE_R01 = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "core-r01" / "1.0.0"


@pytest.fixture
def text() -> str:
    return (CORE_R01 / "protocol.yaml").read_text(encoding="utf-8")


def faults_of(folder: Path, text: str) -> list[str]:
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ProtocolError) as caught:
        load_protocol(folder)
    assert str(folder / "protocol.yaml") in str(caught.value)
    return caught.value.faults


def test_core_r01_is_what_its_method_page_says() -> None:
    # Figures: Core R01 method page. Four scenes, six questions, cohort 4, quorum 3, two points per
    # scene.
    protocol = load_protocol(CORE_R01).protocol
    assert [scene.key for scene in protocol.scenes] == [
        "r01-lift",
        "r01-squat",
        "r01-chair",
        "r01-toast",
    ]
    assert [question.key for question in protocol.questions] == [
        "event",
        "cause",
        "detail",
        "sound",
        "timing",
        "people",
    ]
    assert (protocol.cohort.size, protocol.cohort.quorum) == (4, 3)
    assert protocol.points_per_clip * len(protocol.scenes) == 8
    assert [o.label for o in protocol.options(protocol.question("sound"))][0::4] == [
        "Obviously fake",
        "Completely real",
    ]


def test_the_digest_covers_content_and_not_layout(tmp_path: Path, text: str) -> None:
    original = load_protocol(CORE_R01)
    (tmp_path / "protocol.yaml").write_text(
        "# another comment\n" + text.replace("  audio: native", "  audio:   native")
    )
    assert load_protocol(tmp_path).digest == original.digest == digest_of(original.content)
    (tmp_path / "protocol.yaml").write_text(text.replace("quorum: 3", "quorum: 4"))
    assert load_protocol(tmp_path).digest != original.digest


def test_yes_and_no_stay_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "protocol.yaml").write_text(
        text.replace('value: "yes"', "value: yes").replace('value: "no"', "value: no")
    )
    protocol = load_protocol(tmp_path).protocol
    assert [option.value for option in protocol.answer_sets["fact"].options] == [
        "yes",
        "no",
        "unclear",
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  size: 4", "  size: 4\n  colour: red", "cohort.colour: unknown key"),
        ("  quorum: 3", "  quorum: 2", "cohort: quorum 2 is not a majority of a cohort of 4"),
        ("  size: 4", '  size: "4"', "cohort.size: Input should be a valid integer"),
        ("title: FARTBench Core R01\n", "", "title: this key is missing"),
        ("{question: cause, reason: no_event, when", "{question: cuase, reason: no_event, when",
         "no question 'cuase'"),
        ("when: {question: event, value", "when: {question: evnet, value", "no question 'evnet'"),
        ("reason: no_people_visible}", "reason: nobody}", "there is no N/A reason 'nobody'"),
        ("scenes: [r01-lift, r01-toast]", "scenes: [r01-lift, r01-tost]", "there is no scene "
                                                                          "'r01-tost'"),
        ("gates: [event, cause, detail]", "gates: [event, cause, sound]", "'sound' cannot be a "
                                                                          "gate"),
        ("needs: event}", "needs: sound}", "'sound' is not a gate"),
        ("      cause: Did the sound come from the speaker?\n", "", "'cause' has no wording in "
                                                                    "this scene"),
        ("cause, reason: no_event, when: {question: event", "cause, reason: no_event, when: "
                                                            "{question: timing",
         "'timing' does not come before 'cause'"),
        ('value: "no"}}\n  - {question: detail', 'value: maybe}}\n  - {question: detail',
         "'event' has no answer 'maybe'"),
        ("- key: r01-toast", "- key: r01-lift", "scenes: 'r01-lift' appears 2 times"),
        ("answers: people,", "answers: folk,", "there is no answer set 'folk'"),
        ('{value: "3", label: Mixed}', '{value: "7", label: Mixed}', "the values of a scale go up "
                                                                     "by one"),
    ],
)  # fmt: skip
def test_a_fault_names_its_path_and_rule(
    tmp_path: Path, text: str, old: str, new: str, expected: str
) -> None:
    assert old in text
    assert any(expected in fault for fault in faults_of(tmp_path, text.replace(old, new, 1)))


def test_several_faults_are_named_together(tmp_path: Path, text: str) -> None:
    broken = text.replace("reason: no_people_visible}", "reason: nobody}").replace(
        "needs: event}", "needs: sound}"
    )
    assert len(faults_of(tmp_path, broken)) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", "a key appears twice"),
        ("a: [1, 2\nb: {", "this is not YAML"),
        ("", "valid dictionary"),
        ("- 1\n- 2\n", "valid dictionary"),
        ("a: !!python/object:os.system x\n", "this is not YAML"),
    ],
)
def test_what_is_no_protocol_at_all_is_said(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in faults_of(tmp_path, text)[0]


def test_a_missing_file_and_a_binary_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError, match="there is no such file"):
        load_protocol(tmp_path / "nowhere")
    (tmp_path / "protocol.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProtocolError, match="is not valid UTF-8"):
        load_protocol(tmp_path)
