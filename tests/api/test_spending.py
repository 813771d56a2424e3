"""A token that may change rounds spends nothing: every step that does asks for its own scope."""

import pytest

from api.operations.steps import scope_of
from api.scopes import Scope
from rounds.steps import STEPS


@pytest.mark.parametrize("key", ["commission", "judge", "resume_orders", "send_again"])
def test_a_step_that_sends_paid_calls_takes_the_scope_to_spend(key: str) -> None:
    assert scope_of(STEPS[key]) == Scope.SPEND
