"""The form of a round in Label Studio's JSON, both ways. No Django here.

Each question is a single choice whose aliases are our answers (``yes``, ``4``, ``na:no_event``);
`labelling_config` is the interface that belongs to it. A task is a clip under its opaque id; an
annotation is one sheet. Reviewers are codes: Label Studio knows its own accounts only, so a code
is in a key of its own, ``reviewer``, which it passes over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from fartbench.errors import BadInput
from fartbench.protocol import Protocol, form_for
from fartbench.regular import regular_text
from scoring.records import CellRecord, RoundRecord
from scoring.release.writers import readable_json_bytes

TASKS, CONFIG = "label-studio.json", "label-studio.xml"
MAX_BYTES = 50_000_000
_VIDEO = "video"


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotation: who made it, of which stimulus, and its answers by question; ``label`` says
    its state.
    """

    label: str
    reviewer: str
    stimulus: str
    answers: Mapping[str, str]


def write_label_studio(folder: Path, record: RoundRecord) -> None:
    """Write the tasks with their annotations, and the labelling interface."""
    tasks = [_task(record, place, cell) for place, cell in enumerate(record.cells) if cell.stimulus]
    annotations: dict[int, list[dict[str, Any]]] = {}
    for number, place in enumerate(record.sheets.cell.tolist()):
        annotations.setdefault(place, []).append(_annotation(record, number))
    for task in tasks:
        task["annotations"] = annotations.get(task["id"] - 1, [])
    (folder / TASKS).write_bytes(readable_json_bytes(tasks))
    (folder / CONFIG).write_text(labelling_config(record.protocol), encoding="utf-8", newline="\n")


def labelling_config(protocol: Protocol) -> str:
    """Return the interface: the clip, then each question with all its answers.

    Label Studio cannot hold our N/A map.
    """
    view = ET.Element("View")
    ET.SubElement(view, "Header", value="$scene_title")
    ET.SubElement(view, "Video", name=_VIDEO, value=f"${_VIDEO}")
    for question in protocol.questions:
        ET.SubElement(view, "Header", value=f"${question.key}_wording", size="4")
        choices = ET.SubElement(
            view,
            "Choices",
            name=question.key,
            toName=_VIDEO,
            choice="single-radio",
            required="true",
        )
        for option in protocol.options(question):
            ET.SubElement(choices, "Choice", value=option.label, alias=option.value)
        for reason in sorted(
            {rule.reason for rule in protocol.na_rules if rule.question == question.key}
        ):
            words = f"N/A: {protocol.na_reasons[reason]}"
            ET.SubElement(choices, "Choice", value=words, alias=f"na:{reason}")
    ET.indent(view)
    return ET.tostring(view, encoding="unicode") + "\n"


def _task(record: RoundRecord, place: int, cell: CellRecord) -> dict[str, Any]:
    form = form_for(record.protocol, cell.scene)
    wording = {f"{question}_wording": form.wording(question) for question in record.book.questions}
    return {
        "id": place + 1,
        "data": {
            _VIDEO: f"{cell.stimulus}.mp4",
            "stimulus": cell.stimulus,
            "scene": cell.scene,
            "scene_title": form.title,
            **wording,
        },
        "meta": {
            "round": record.name,
            "protocol": record.protocol.label,
            "protocol_digest": record.protocol_digest,
        },
    }


def _annotation(record: RoundRecord, number: int) -> dict[str, Any]:
    sheets = record.sheets
    answers = zip(record.book.questions, sheets.answers[number].tolist(), strict=True)
    return {
        "id": number + 1,
        "reviewer": record.reviewers[int(sheets.reviewer[number])].code,
        "created_at": sheets.locked_at[number],
        "result": [
            {
                "id": f"{number + 1}-{question}",
                "from_name": question,
                "to_name": _VIDEO,
                "type": "choices",
                "value": {"choices": [record.book.texts(question)[code]]},
            }
            for question, code in answers
        ],
    }


def read_label_studio(
    path: Path, protocol: Protocol, accounts: Mapping[str, str]
) -> list[Annotation]:
    """Read the annotations of a JSON export: choices by alias or by label, ratings by number, texts
    not at all.

    ``accounts`` names the reviewer of an account that the file gives as a number or an address.
    Cancelled annotations are passed over. Raises BadInput, naming each annotation that cannot be
    read.
    """
    tasks = _tasks(path)
    found, faults = [], []
    for task_number, task in enumerate(tasks, start=1):
        for number, annotation in enumerate(_annotations(task), start=1):
            label = f"task {task_number}, annotation {number}"
            try:
                found.append(_read(task, annotation, label, protocol, accounts))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                faults.append(f"{label}: {_words(error)}")
    if not found and not faults:
        faults.append("it holds no annotation")
    if faults:
        raise BadInput(str(path), faults)
    return found


def _tasks(path: Path) -> list[Any]:
    try:
        tasks = json.loads(regular_text(path, MAX_BYTES), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadInput(str(path), [f"this is not JSON in UTF-8: {error}"]) from error
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        fault = (
            "this is not a list of tasks; export “JSON” from Label Studio, not “JSON-MIN” or CSV"
        )
        raise BadInput(str(path), [fault])
    return tasks


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _annotations(task: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    annotations: Any = task.get("annotations") or []
    for annotation in annotations if isinstance(annotations, list) else [annotations]:
        if not (isinstance(annotation, dict) and annotation.get("was_cancelled")):
            yield annotation


def _read(
    task: Mapping[str, Any],
    annotation: Mapping[str, Any],
    label: str,
    protocol: Protocol,
    accounts: Mapping[str, str],
) -> Annotation:
    stimulus = task["data"].get("stimulus") or str(task["data"][_VIDEO]).rpartition("/")[
        2
    ].removesuffix(".mp4")
    answers: dict[str, str] = {}
    for result in annotation["result"]:
        question = result["from_name"]
        if question in answers:
            raise ValueError(f"two answers to {question!r}")
        answers[question] = _answer(protocol, question, result)
    return Annotation(label, _reviewer(annotation, accounts), str(stimulus), answers)


def _reviewer(annotation: Mapping[str, Any], accounts: Mapping[str, str]) -> str:
    if reviewer := annotation.get("reviewer"):
        return str(reviewer)
    account = annotation["completed_by"]
    names = [account.get("email"), account.get("id")] if isinstance(account, dict) else [account]
    known = [accounts[str(name)] for name in names if str(name) in accounts]
    return known[0] if known else str(next(name for name in names if name is not None))


def _answer(protocol: Protocol, question: str, result: Mapping[str, Any]) -> str:
    value = result["value"]
    if result["type"] == "rating":
        return str(value["rating"])
    if result["type"] != "choices":
        raise ValueError(
            f"{question!r} is answered by {result['type']!r}; choices and ratings are read"
        )
    (choice,) = value["choices"]
    return _by_label(protocol, question).get(choice, str(choice))


def _by_label(protocol: Protocol, question: str) -> dict[str, str]:
    """Return the answer that each label of a question is for."""
    asked = next((asked for asked in protocol.questions if asked.key == question), None)
    if asked is None:
        raise ValueError(f"there is no question {question!r}")
    labels = {option.label: option.value for option in protocol.options(asked)}
    reasons = {rule.reason for rule in protocol.na_rules if rule.question == question}
    return labels | {f"N/A: {protocol.na_reasons[reason]}": f"na:{reason}" for reason in reasons}


def _words(error: Exception) -> str:
    return f"the key {error} is missing" if isinstance(error, KeyError) else str(error)
