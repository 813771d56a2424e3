"""Compiled queries give what the same query built anew gives, whatever the values, on both engines."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fartbench.compiled import CompiledQuery, Part
from fartbench.models import Round
from review.backend import AccountBackend
from tests.factories import make_round, make_staff, open_round, reviewers_of

pytestmark = pytest.mark.django_db
ROUND = Part(Round)
by_name = CompiledQuery(lambda name, most: Round.objects.filter(name=name, pk__lte=most).values_list(*ROUND.columns))


def test_rows_are_those_of_the_query_with_their_types() -> None:
    first, second = make_round(name="one", scenes=["r01-lift"]), make_round(name="two")
    for round_ in (first, second):
        found = ROUND.stored(by_name.rows(name=round_.name, most=second.pk)[0])
        stored = Round.objects.get(pk=round_.pk)
        assert [getattr(found, name) for name in ROUND.names] == [getattr(stored, name) for name in ROUND.names]
        assert not found._state.adding
    assert by_name.rows(name="one", most=0) == []
    assert by_name.rows(name="%s' OR 1=1 --", most=second.pk) == []


def test_a_column_that_was_left_out_is_read_when_it_is_asked_for() -> None:
    round_ = make_round()
    part = Part(Round, out=("seed",))
    query = CompiledQuery(lambda pk: Round.objects.filter(pk=pk).values_list(*part.columns))
    found = part.stored(query.rows(pk=round_.pk)[0])
    with CaptureQueriesContext(connection) as queries:
        assert found.seed == round_.seed
    assert len(queries) == 1


def test_a_query_that_does_not_take_a_value_as_it_is_says_so() -> None:
    query = CompiledQuery(lambda name: Round.objects.filter(name=name[:3]).values_list("pk"))
    with pytest.raises(ValueError, match="no use of name"):
        query.rows(name="spring")


def test_an_account_comes_with_its_reviewer_in_one_query_and_without_one_says_so() -> None:
    reviewer = reviewers_of(open_round(configurations=1, scenes=["r01-lift"]))[0]
    staff, away = make_staff(), User.objects.create_user("away", is_active=False)
    AccountBackend().get_user(staff.pk)
    with CaptureQueriesContext(connection) as queries:
        assert AccountBackend().get_user(reviewer.user_id).reviewer == reviewer
        assert not hasattr(AccountBackend().get_user(staff.pk), "reviewer")
        assert AccountBackend().get_user(away.pk) is None
        assert AccountBackend().get_user(0) is None
    assert len(queries) == 4
