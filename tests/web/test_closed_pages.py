"""A reviewer of an open round reaches no prompt and no specification of its protocol, at any
address.
"""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils.html import escape

from fartbench.models import Round, RoundState
from fartbench.protocol import Protocol
from fartbench.protocol.specification import Specification, read_specification
from generation.models import Prompt
from review.selectors import next_assignment
from tests.factories import reviewers_of
from tests.kept import kept
from tests.scoring.rows import make_open_round
from tests.test_access import CALLS, client_of, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]


def make_reviewed_world() -> dict[str, str]:
    """The world of all addresses, and in it an open round on the protocol that was published."""
    world = make_world()
    round_ = make_open_round(name="same", scenes=[world["scene"]], configurations=("zeta",))
    round_.members.update(consented_at=round_.opened_at, sound_checked_at=round_.opened_at)
    rae = reviewers_of(round_)[0]
    due = next_assignment(rae, round_)
    assert due is not None
    return world | {"open": round_.name, "due": due.stimulus_id, "rae": rae.user.username}


world = kept(make_reviewed_world)


def specification(world: dict[str, str]) -> Specification:
    return read_specification(world["protocol"], world["protocol_version"], world["scene"])[0]


def secrets(world: dict[str, str]) -> list[str]:
    """Every sentence that says what was asked for: the scene's setting, its facts, its prompts."""
    rules: Protocol = Round.objects.get(name=world["open"]).protocol.rules
    settings = [scene.setting for scene in rules.scenes]
    facts = [text for texts in specification(world).facts().values() for text in texts]
    prompts = list(Prompt.objects.values_list("body", flat=True))
    assert prompts
    long_enough_to_tell = 12
    texts = [*settings, *facts, *(bytes(body).decode() for body in prompts)]
    return [text for text in texts if len(text) > long_enough_to_tell]


def everything_sent(role: str, world: dict[str, str]) -> dict[str, str]:
    """Call every address of the site as one role; return the text of each answer."""
    sent = {}
    for name, call in CALLS.items():
        address = reverse(name, args=[world[arg] for arg in call.args])
        response = call.make(client_of(role, world), address)
        body = response.getvalue() if response.streaming else response.content
        sent[name] = body.decode("utf-8", "replace")
    return sent


def told(sent: dict[str, str], world: dict[str, str]) -> set[str]:
    return {
        name
        for name, body in sent.items()
        for text in secrets(world)
        if text in body or escape(text) in body
    }


def test_a_visitor_reads_what_was_asked_for_where_it_is_published(world: dict[str, str]) -> None:
    assert {"home", "method", "specification", "specification-file"} <= told(
        everything_sent("visitor", world), world
    )


def test_a_reviewer_of_an_open_round_reads_it_nowhere(world: dict[str, str]) -> None:
    assert told(everything_sent("rae", world), world) == set()


def test_the_refusal_says_when_the_page_opens(world: dict[str, str]) -> None:
    rae = client_of("rae", world)
    page = rae.get(reverse("method"))
    assert page.status_code == 403
    assert "You can read it when your round is closed" in page.content.decode()
    assert reverse("method") not in rae.get(reverse("review-home")).content.decode()


def test_it_opens_again_once_the_round_is_closed(world: dict[str, str]) -> None:
    Round.objects.filter(name=world["open"]).update(state=RoundState.LOCKED)
    assert client_of("rae", world).get(reverse("method")).status_code == 200
