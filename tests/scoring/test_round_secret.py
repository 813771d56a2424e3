"""What orders are drawn from is in no row of an open round, and is published so that everybody can
draw them again.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from fartbench import round_secret
from fartbench.models import AuditEntry, Round
from review.models import Assignment
from review.order import ClipFactors
from review.order_shares import shared_orders
from rounds import opening as rounds
from rounds.changes import change_reviewer
from scoring.release.verifying import verify_release
from scoring.release.writers import read_csv
from tests.factories import reviewers_of
from tests.scoring.rows import answer_all, make_open_round

pytestmark = pytest.mark.django_db
SCENES = ["r01-lift", "r01-toast"]


def everything_stored() -> str:
    """Return every value of every row of the database, as text."""
    rows = [
        list(model._base_manager.values_list())
        for model in apps.get_models(include_auto_created=True)
    ]
    return json.dumps(rows, default=str)


def orders_of(round_: Round) -> list[list[str]]:
    stored: dict[int, list[str]] = {}
    for member, stimulus in (
        Assignment.objects.filter(member__round=round_)
        .order_by("member__place", "position")
        .values_list("member", "stimulus")
    ):
        stored.setdefault(member, []).append(stimulus)
    return list(stored.values())


def drawn_again(folder: Path) -> list[list[str]]:
    """Draw the orders of a round from the files of its release alone."""
    stated = json.loads((folder / "manifest.json").read_bytes())
    clips = list(read_csv(folder / "clips.csv"))
    names = sorted({clip["configuration"] for clip in clips})
    factors = [
        ClipFactors(clip["stimulus"], f"c{names.index(clip['configuration']) + 1}", clip["scene"])
        for clip in clips
    ]
    reviewers = stated["round"]["reviewers"]
    return [
        list(order)
        for order in shared_orders(factors, len(reviewers), 0, stated["seeds"]["orders"]).orders
    ]


def test_the_secret_of_an_open_round_is_in_no_row_and_a_stranger_draws_the_orders_again_from_the_release() -> (
    None
):
    round_ = make_open_round(scenes=SCENES, configurations=("alpha", "beta", "gamma"))
    secret = round_secret.secret_of(round_)
    assert len(secret) == 64
    assert secret not in everything_stored()
    answer_all(round_)
    assert secret not in everything_stored()
    rounds.close_round(round_=round_, actor="test")
    assert AuditEntry.objects.get(action="round closed").details["secret"] == secret
    assert round_secret.is_kept(Round.objects.get(pk=round_.pk))
    release = rounds.publish(round_=Round.objects.get(pk=round_.pk), actor="test")
    assert verify_release(release.folder).round == round_.name
    assert drawn_again(release.folder) == orders_of(round_)


def test_the_seed_of_an_open_round_does_not_give_its_orders() -> None:
    round_ = make_open_round(scenes=SCENES, configurations=("alpha", "beta", "gamma"))
    by_seed = round_secret.Round(name=round_.name, seed=round_.seed)
    assert round_secret.secret_of(by_seed) == round_.seed
    assert round_secret.secret_of(round_) != round_.seed


def test_a_changed_key_needs_the_old_one_for_an_order_and_none_to_close(settings: Any) -> None:
    round_ = make_open_round(scenes=SCENES)
    secret, old = round_secret.secret_of(round_), settings.SECRET_KEY
    settings.SECRET_KEY = "another-key"
    with pytest.raises(round_secret.SecretKeyLost, match="SECRET_KEY_FALLBACKS"):
        replace_one(round_, "new@example.org")
    settings.SECRET_KEY_FALLBACKS = [old]
    assert round_secret.secret_of(round_) == secret
    replace_one(round_, "new@example.org")
    settings.SECRET_KEY_FALLBACKS = []
    rounds.close_round(round_=round_, actor="test", incomplete_reason="a test")
    assert (
        AuditEntry.objects.get(action="round closed").details["secret"]
        == "not known: SECRET_KEY was changed"
    )


def replace_one(round_: Round, new: str) -> None:
    old = reviewers_of(round_)[0].code
    change_reviewer(round_=round_, old=old, new=new, reason="a test", actor="test")


def test_a_round_that_was_opened_by_an_older_version_goes_on_with_its_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(round_secret, "commit", lambda round_: round_.seed)
    round_ = make_open_round(scenes=SCENES)
    replace_one(round_, "new@example.org")
    answer_all(round_)
    rounds.close_round(round_=round_, actor="test", incomplete_reason="a test")
    release = rounds.publish(round_=round_, actor="test")
    assert json.loads((release.folder / "manifest.json").read_bytes())["seeds"] == {
        "round": round_.seed
    }
    assert verify_release(release.folder).round == round_.name
