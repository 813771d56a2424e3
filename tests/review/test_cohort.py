"""Cohorts, invites and return codes."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.utils import timezone

from fartbench.models import AuditEntry, Round, RoundState
from review.codes import normal_return_code
from review.errors import CohortRefused, InviteExpired, InviteRevoked, InviteUnknown, TooManyNotes
from review.models import CohortMember, Invite, Reviewer
from review.services import issue_return_code, set_cohort, use_invite, use_return_code
from review.services.invites import MOST_CODES_A_DAY, ReturnCodeUnknown, openable_invite
from tests.factories import make_round, make_staff, open_round, reviewers_of

pytestmark = pytest.mark.django_db
FOUR = ["a@example.org", "b@example.org", "c@example.org", "d@example.org"]


@pytest.fixture
def round_() -> Round:
    return make_round()


def token(url: str) -> str:
    return url.rstrip("/").rsplit("/", 1)[1]


def test_a_cohort_gets_codes_and_links_and_only_hashes_are_kept(round_: Round) -> None:
    links = set_cohort(round=round_, emails=FOUR, actor="ada")
    assert [link.email for link in links] == FOUR
    assert len({link.code for link in links}) == 4
    assert all(link.url.startswith("http://127.0.0.1:8000/i/") for link in links)
    stored = str(list(Invite.objects.values())) + str(list(AuditEntry.objects.values()))
    assert not any(token(link.url) in stored or link.email in stored for link in links)
    entry = AuditEntry.objects.get()
    assert entry.details["reviewers"] == sorted(link.code for link in links)
    assert not any(user.has_usable_password() for user in User.objects.all())


@pytest.mark.parametrize(
    ("emails", "words"),
    [
        (FOUR[:3], "cohort of 4; 3 addresses"),
        ([*FOUR, "e@example.org"], "cohort of 4; 5"),
        ([*FOUR[:3], "A@example.org "], "a@example.org is named twice"),
        ([*FOUR[:3], "nobody"], "“nobody” is not an e-mail address"),
        ([*FOUR[:3], "x" * 200 + "@example.org"], "no e-mail address|too long"),
        ([*FOUR[:3], "ada@example.org"], "staff account"),
    ],
)
def test_what_cannot_be_a_cohort_is_refused_and_changes_nothing(
    round_: Round, emails: list[str], words: str
) -> None:
    make_staff("ada")
    with pytest.raises(CohortRefused, match=words):
        set_cohort(round=round_, emails=emails, actor="ada")
    assert not CohortMember.objects.exists() and not Reviewer.objects.exists()


def test_before_opening_the_cohort_can_be_replaced(round_: Round) -> None:
    before = {link.email: link for link in set_cohort(round=round_, emails=FOUR, actor="ada")}
    changed = [*FOUR[1:], "e@example.org"]
    after = {link.email: link for link in set_cohort(round=round_, emails=changed, actor="ada")}
    assert {member.reviewer.email for member in round_.members.all()} == set(changed)
    assert sorted(round_.members.values_list("place", flat=True)) == [0, 1, 2, 3]
    assert before["b@example.org"].code == after["b@example.org"].code
    with pytest.raises(InviteRevoked):
        openable_invite(token(before["b@example.org"].url))
    with pytest.raises(InviteUnknown):
        openable_invite(token(before["a@example.org"].url))
    assert use_invite(token(after["b@example.org"].url)).email == "b@example.org"


def test_an_open_round_only_hands_out_fresh_links(round_: Round) -> None:
    opened = open_round(configurations=1, scenes=["r01-lift"])
    emails = [member.reviewer.email for member in opened.members.all()]
    assert len(set_cohort(round=opened, emails=emails, actor="ada")) == 4
    with pytest.raises(CohortRefused, match="is open and its cohort is fixed"):
        set_cohort(round=opened, emails=FOUR, actor="ada")
    Round.objects.filter(pk=opened.pk).update(state=RoundState.LOCKED)
    with pytest.raises(CohortRefused, match="closed"):
        set_cohort(round=opened, emails=emails, actor="ada")


def test_an_invite_does_not_open_for_ever(round_: Round) -> None:
    first, second, *_ = set_cohort(round=round_, emails=FOUR, actor="ada")
    assert use_invite(token(first.url)).email == FOUR[0]
    Invite.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for link in (first, second):
        with pytest.raises(InviteExpired):
            use_invite(token(link.url))
    with pytest.raises(InviteUnknown):
        use_invite("guess")


def test_the_same_person_keeps_code_and_account_in_the_next_round(round_: Round) -> None:
    first = set_cohort(round=round_, emails=FOUR, actor="ada")
    second = set_cohort(round=make_round(), emails=[email.upper() for email in FOUR], actor="ada")
    assert [link.code for link in first] == [link.code for link in second]
    assert User.objects.count() == 4


def test_a_return_code_lets_in_until_the_next_one(round_: Round) -> None:
    set_cohort(round=round_, emails=FOUR, actor="ada")
    reviewer = Reviewer.objects.get(email=FOUR[0])
    code = issue_return_code(reviewer)
    assert code not in str(list(Reviewer.objects.values()))
    assert use_return_code(f" {code.lower().replace('-', ' ')} ") == reviewer
    assert normal_return_code(code) == code
    issue_return_code(reviewer)
    with pytest.raises(ReturnCodeUnknown):
        use_return_code(code)
    with pytest.raises(ReturnCodeUnknown):
        use_return_code("")


def test_return_codes_are_made_a_few_times_a_day() -> None:
    reviewer = reviewers_of(open_round(configurations=1, scenes=["r01-lift"]))[0]
    codes = [issue_return_code(reviewer) for _ in range(MOST_CODES_A_DAY)]
    with pytest.raises(TooManyNotes, match="The last one is good"):
        issue_return_code(reviewer)
    assert use_return_code(codes[-1]) == reviewer
    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        assert issue_return_code(reviewer) != codes[-1]
