"""The brief beside a clip: where the protocol shows it, every fact of the specification, and
nowhere else.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.test import Client
from django.utils.html import escape

from fartbench.models import Round
from fartbench.protocol import ProtocolError, load_protocol, parse_protocol
from fartbench.protocol.specification import read_specification
from review.brief import brief_lines
from review.selectors import next_assignment
from tests.factories import CORE_R01, CORE_V01, make_protocol, open_round, reviewers_of

SCENES = [scene.key for scene in load_protocol(CORE_V01).protocol.scenes]


def words_of(scene: str) -> str:
    lines = brief_lines(load_protocol(CORE_V01).protocol, scene)
    return "\n".join(f"{line.label}: {'; '.join(line.texts)}" for line in lines)


@pytest.mark.parametrize("scene", SCENES)
def test_a_brief_says_what_the_specification_says(scene: str) -> None:
    asked, _ = read_specification("core-v0.1", "0.1.0", scene)
    brief = words_of(scene)
    told = [text for path, texts in asked.facts().items() for text in texts[:1] if path not in
            {"location", "style"}]  # fmt: skip
    assert [text for text in told if text not in brief] == []
    assert f"Length: {asked.duration_s:g} seconds" in brief
    assert f"Count: {asked.events.count} × {asked.events.type}" in brief
    for start, end in asked.windows:
        assert f"{start:g} to {end:g} s: " in brief


def test_a_test_without_reactions_says_that_none_is_required() -> None:
    assert "Required reaction: none" in words_of("fb-c04")


def test_core_r01_shows_no_brief() -> None:
    protocol = load_protocol(CORE_R01).protocol
    assert [brief_lines(protocol, scene.key) for scene in protocol.scenes] == [()] * 4


def test_the_digest_covers_the_specifications() -> None:
    file = load_protocol(CORE_V01)
    assert file.content["briefs"]["fb-c01"]["target"] == "man"
    assert parse_protocol(file.content, source="stored") == file.protocol


def test_a_protocol_that_shows_briefs_needs_every_specification(tmp_path: Path) -> None:
    shutil.copy(CORE_V01 / "protocol.yaml", tmp_path)
    file = tmp_path / "protocol.yaml"
    file.write_text(file.read_text().replace("version: 0.1.0", "version: 0.9.0"))
    with pytest.raises(ProtocolError, match=r"0\.9\.0/fb-c01\.yaml"):
        load_protocol(tmp_path)


def test_a_brief_of_another_scene_is_refused() -> None:
    content = load_protocol(CORE_V01).content
    briefs = dict(content["briefs"])
    briefs["fb-c09"] = briefs.pop("fb-c08")
    with pytest.raises(ProtocolError, match="fb-c08"):
        parse_protocol(content | {"briefs": briefs}, source="x")


@pytest.mark.django_db
@pytest.mark.engine("sqlite")
@pytest.mark.parametrize("folder", [CORE_V01, CORE_R01])
def test_the_sheet_shows_it_where_the_protocol_says_so(folder: Path, client: Client) -> None:
    scene = load_protocol(folder).protocol.scenes[0].key
    round_: Round = open_round(configurations=1, scenes=[scene], protocol=make_protocol(folder))
    rae = reviewers_of(round_)[0]
    client.force_login(rae.user)
    due = next_assignment(rae, round_)
    assert due is not None
    page = client.get(f"/review/{due.stimulus_id}/").content.decode()
    asked, _ = read_specification(round_.protocol.name, round_.protocol.version, scene)
    is_told = escape(asked.camera.shot) in page
    assert is_told == ("What was asked for" in page) == (folder == CORE_V01)
