"""What staff may look into: blinding by cell, whose clip is whose after the close, and how the
reviewers rated.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from blinding.models import BlindCopy, BlindingKey, NotReviewable, Stimulus
from fartbench import writeonce
from fartbench.models import AuditEntry, Round
from generation.models import Sample
from review.links import link_of
from review.models import CohortMember, Retirement, Role
from rounds import opening as rounds
from rounds.opening import open_round
from scoring.errors import ClipsUnderReview
from tests.factories import make_staff, reviewers_of
from tests.scoring.rows import (
    answer_all,
    make_filled_round,
    make_locked_round,
    make_open_round,
    make_published_round,
)

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

LIFT = ["r01-lift"]
PROOF = {
    "pictures": 29, "samples": 57600, "raw_picture_sha256": "a" * 64,
    "blind_picture_sha256": "a" * 64,
    "raw_sound_sha256": "b" * 64, "blind_sound_sha256": "b" * 64, "picture_time_error": 0.0,
    "sound_time_error": 0.00025, "faults": [], "holds": True,
}  # fmt: skip


@pytest.fixture
def admin_page() -> Client:
    client, ada = Client(), make_staff("ada")
    ada.user_permissions.add(
        Permission.objects.get(codename="change_round", content_type__app_label="fartbench")
    )
    client.force_login(ada)
    return client


@pytest.fixture
def staff_page() -> Client:
    client = Client()
    client.force_login(make_staff("stan"))
    return client


def text_of(client: Client, name: str, *args: str) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def do(client: Client, round_: Round, step: str, **fields: str) -> Any:
    return client.post(
        reverse("staff-step", args=[round_.name]), {"step": step, **fields}, follow=True
    )


def words_of(response: Any) -> str:
    return "\n".join(str(message) for message in response.context["messages"])


def errors_of(response: Any) -> dict[str, list[str]]:
    """Return what the form that was sent says beside its fields."""
    (form,) = [
        button.bound
        for button in response.context["buttons"] + response.context.get("reviewer_buttons", [])
        if button.bound
    ]
    page = response.content.decode()
    assert all(error in page for errors in form.errors.values() for error in errors)
    return {name: list(errors) for name, errors in form.errors.items()}


def make_copies(round_: Round, *, leave: int = 0) -> None:
    """Give the samples of a round proven copies, but for the last ``leave``; alpha has a frame rate
    of its own.
    """
    samples = list(
        Sample.objects.filter(cell__round=round_)
        .select_related("cell__configuration")
        .order_by("pk")
    )
    for sample in samples[: len(samples) - leave]:
        BlindCopy.objects.create(
            sample=sample, sha256="c" * 64, size=7, facts={}, proof=PROOF, removed={"encoder name "
                                                                                    "<x264>": 2},
            technical={"frame_rate": 16 if sample.cell.configuration.name == "alpha" else 24},
        )  # fmt: skip


def test_blinding_shows_proof_and_what_was_removed_by_cell_and_names_no_stimulus(
    staff_page: Client,
) -> None:
    round_ = make_filled_round(name="spring", scenes=LIFT)
    make_copies(round_)
    open_round(round_=round_, actor="test")
    with CaptureQueriesContext(connection) as captured:
        page = text_of(staff_page, "staff-blinding", "spring")
    for words in (
        "alpha/r01-lift/1",
        "raw clip and copy are identical: 29 pictures, 57600 sound samples",
        "0.250 ms",
        "a" * 64,
        "encoder name &lt;x264&gt; × 2",
    ):
        assert words in page
    assert not any(BlindingKey._meta.db_table in query["sql"] for query in captured)
    assert len(captured) <= 14
    for stimulus in Stimulus.objects.filter(round=round_).values_list("pk", flat=True):
        assert stimulus not in page  # staff without the buttons has no list of ids to choose from


def test_what_could_not_be_proven_or_was_re_encoded_says_so(staff_page: Client) -> None:
    make_copies(make_filled_round(name="spring", scenes=LIFT))
    first, second = BlindCopy.objects.order_by("pk")
    BlindCopy.objects.filter(pk=first.pk).update(
        proof=PROOF | {"holds": False, "faults": ["the decoded sound differs"]}
    )
    BlindCopy.objects.filter(pk=second.pk).update(proof=None)
    page = text_of(staff_page, "staff-blinding", "spring")
    assert "Not proven: the decoded sound differs." in page
    assert "Re-encoded to the common format" in page


def test_the_fingerprint_is_told_in_words_with_its_interval_and_chance(staff_page: Client) -> None:
    round_ = make_filled_round(
        name="spring", scenes=["r01-lift", "r01-squat", "r01-chair", "r01-toast"]
    )
    assert "cannot be measured yet" in text_of(staff_page, "staff-fingerprint", "spring")
    make_copies(round_)
    page = text_of(staff_page, "staff-fingerprint", "spring")
    assert "tell configurations apart better than chance" in page
    assert "for 100% of the files (95% interval 68% to 100%, n = 8 files)" in page
    assert "frame rate" in page


def test_an_admin_normalises_a_round_or_leaves_a_clip_out_for_a_reason(admin_page: Client) -> None:
    round_ = make_filled_round(name="spring", scenes=LIFT)
    make_copies(round_, leave=1)
    page = text_of(admin_page, "staff-blinding", "spring")
    assert 'value="beta/r01-lift/1"' in page
    assert 'value="alpha/r01-lift/1"' not in page
    unsaid = do(admin_page, round_, "exclude_clip", cell="beta/r01-lift/1", reason=" ")
    assert list(errors_of(unsaid)) == ["reason"]
    assert "has no cell" in words_of(
        do(admin_page, round_, "exclude_clip", cell="nobody/r01-lift/1", reason="x")
    )
    unchosen = do(admin_page, round_, "exclude_clip", cell="beta", reason="x")
    assert errors_of(unchosen) == {"cell": ["Choose a cell."]}
    assert not NotReviewable.objects.exists()
    left_out = do(
        admin_page, round_, "exclude_clip", cell="beta/r01-lift/1", reason="its sound is broken"
    )
    assert left_out.redirect_chain[-1][0] == reverse("staff-blinding", args=["spring"])
    assert "is not reviewable" in words_of(left_out)
    assert list(errors_of(do(admin_page, round_, "normalise", reason=""))) == ["reason"]
    assert "is normalised" in words_of(
        do(admin_page, round_, "normalise", reason="frame rates tell")
    )
    round_.refresh_from_db()
    assert round_.normalised_because == "frame rates tell"
    assert not BlindCopy.objects.exists()


def test_an_admin_replaces_a_copy_or_declares_it_not_reviewable(admin_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT)
    first, second = Stimulus.objects.filter(round=round_).order_by("pk")
    assert first.pk in text_of(admin_page, "staff-blinding", "spring")
    unsaid = do(admin_page, round_, "replace_copy", stimulus=first.pk)
    assert errors_of(unsaid) == {"reason": ["Say why: the reason is recorded in the audit trail."]}
    assert "has no stimulus" in words_of(
        do(admin_page, round_, "replace_copy", stimulus="nowhere", reason="x")
    )
    assert "is replaced by" in words_of(
        do(admin_page, round_, "replace_copy", stimulus=first.pk, reason="black")
    )
    assert "not reviewable" in words_of(
        do(admin_page, round_, "declare_not_reviewable", stimulus=second.pk, reason="no sound")
    )
    found = dict(Retirement.objects.values_list("stimulus", "outcome"))
    assert found == {first.pk: "replaced", second.pk: "not_reviewable"}


def test_an_admin_replaces_a_reviewer_and_adds_a_secondary_one(admin_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT)
    old = reviewers_of(round_)[0].code
    unsaid = do(admin_page, round_, "replace_reviewer", old=old, new="n@example.org")
    assert list(errors_of(unsaid)) == ["reason"]
    assert 'value="n@example.org"' in unsaid.content.decode()  # what was typed stays
    page = do(
        admin_page, round_, "replace_reviewer", old=old, new="n@example.org", reason="fell ill"
    ).content.decode()
    link = CohortMember.objects.get(reviewer__email="n@example.org").invites.get()
    assert link_of(link).url in page
    assert old not in [reviewer.code for reviewer in reviewers_of(round_)]
    assert (
        "http://127.0.0.1:8000/i/"
        in do(admin_page, round_, "add_secondary", email="s@example.org").content.decode()
    )
    assert CohortMember.objects.get(reviewer__email="s@example.org").role == Role.SECONDARY
    listed = text_of(admin_page, "staff-round", "spring")
    assert "n@example.org" in listed
    assert "Replace a reviewer" in listed


def test_staff_sees_none_of_the_buttons(staff_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT)
    for page in ("staff-round", "staff-blinding"):
        assert 'name="step"' not in text_of(staff_page, page, "spring")
    assert (
        do(staff_page, round_, "declare_not_reviewable", stimulus="x", reason="y").status_code
        == 403
    )


@pytest.mark.parametrize(
    ("page", "action"),
    [("staff-unblind", "round unblinded"), ("staff-diagnostics", "reviewers diagnosed")],
)
def test_what_unblinds_takes_a_closed_round_and_a_reason_that_is_recorded(
    staff_page: Client, page: str, action: str
) -> None:
    for make, name in ((make_filled_round, "filled"), (make_open_round, "open")):
        make(name=name, scenes=LIFT)
        for method in (staff_page.get, staff_page.post):
            assert method(reverse(page, args=[name]), {"reason": "curious"}).status_code == 404
    make_locked_round(name="closed", scenes=LIFT, configurations=("gamma", "delta"))
    assert "gamma" not in text_of(staff_page, page, "closed")
    assert (
        "Give a reason"
        in staff_page.post(reverse(page, args=["closed"]), {"reason": " "}).content.decode()
    )
    assert not AuditEntry.objects.filter(action=action).exists()
    shown = staff_page.post(reverse(page, args=["closed"]), {"reason": "a complaint"})
    assert "no-store" in shown["Cache-Control"]
    entry = AuditEntry.objects.get(action=action)
    assert (entry.actor, entry.round_name, entry.details["reason"]) == (
        "stan",
        "closed",
        "a complaint",
    )


def test_whose_clip_is_whose(staff_page: Client) -> None:
    round_ = make_locked_round(name="spring", scenes=LIFT)
    page = staff_page.post(
        reverse("staff-unblind", args=["spring"]), {"reason": "check"}
    ).content.decode()
    keys = BlindingKey.objects.filter(stimulus__round=round_).select_related(
        "sample__cell__configuration"
    )
    for key in keys:
        row = page[page.index(f">{key.sample.cell.configuration.name}</th>") :]
        assert key.stimulus_id in row[: row.index("</tr>")]


def test_diagnostics_flag_and_show_each_reviewer(staff_page: Client) -> None:
    round_ = make_open_round(
        name="spring", scenes=LIFT, configurations=[f"c{number}" for number in range(4)]
    )
    answer_all(round_, {("c1", "r01-lift"): {"sound": "1"}, ("c2", "r01-lift"): {"cause": "no"}})
    rounds.close_round(round_=round_, actor="test")
    response = staff_page.post(reverse("staff-diagnostics", args=["spring"]), {"reason": "check"})
    page = " ".join(response.content.decode().split())
    for reviewer in reviewers_of(round_):
        assert page.count(reviewer.code) >= 4
    assert "Passed: Source or cause, of 4 clips" in page
    assert "@" not in page.replace("core-r01@1.0.0", "")


def test_a_release_waits_for_open_rounds_that_ask_about_its_clips() -> None:
    locked = make_locked_round(name="spring", scenes=LIFT)
    other = make_open_round(name="autumn", scenes=LIFT, configurations=("gamma",))
    clip = Sample.objects.filter(cell__round=locked).first().clip
    writeonce.uninstall(using="default")  # as when two manifests name one file
    Sample.objects.filter(cell__round=other).update(clip=clip)
    writeonce.install(using="default")
    with pytest.raises(ClipsUnderReview, match="round 'autumn' is open and asks about this clip"):
        rounds.publish(round_=locked, actor="test")
    assert not locked.releases.exists()
    rounds.close_round(round_=other, actor="test", incomplete_reason="nobody came")
    assert rounds.publish(round_=locked, actor="test").number == 1


def test_no_account_gets_staff_rights_while_it_reviews() -> None:
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    round_ = make_open_round(name="spring", scenes=LIFT, configurations=("gamma",))
    user = reviewers_of(round_)[0].user
    form = {"username": user.username, "email": user.email, "is_active": "on",
            "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}  # fmt: skip
    address = reverse("admin:auth_user_change", args=[user.pk])
    for right in ("is_staff", "is_superuser"):
        refused = root.post(address, form | {right: "on"})
        assert "This account reviews spring" in refused.content.decode()
    assert root.post(address, form).status_code == 302
    user.refresh_from_db()
    assert not user.is_staff
    answer_all(round_)
    rounds.close_round(round_=round_, actor="test")
    rounds.publish(round_=round_, actor="test")
    assert root.post(address, form | {"is_staff": "on"}).status_code == 302
    user.refresh_from_db()
    assert user.is_staff


def test_the_list_of_rounds_costs_the_same_for_any_number_in_any_state(staff_page: Client) -> None:
    counts = []
    for number in range(2):
        make_filled_round(name=f"f{number}", scenes=LIFT, configurations=(f"f{number}",))
        make_open_round(name=f"o{number}", scenes=LIFT, configurations=(f"o{number}",))
        make_published_round(name=f"p{number}", scenes=LIFT, configurations=(f"p{number}",))
        with CaptureQueriesContext(connection) as captured:
            text_of(staff_page, "staff-home")
        counts.append(len(captured))
    assert counts[0] == counts[1]
