"""Every address on PostgreSQL too: what is asked of the database there differs, who may see what
does not.
"""

import pytest
from django.urls import reverse

from tests.test_access import CALLS, RECORDS, outcomes, superuser, world

__all__ = ["world"]  # a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.engine("postgres")]


@pytest.mark.parametrize(
    "role", ["ada", "rae"]
)  # who may run rounds, and who reviews: together they see every page
def test_an_address_answers_as_it_should(role: str, world: dict[str, str]) -> None:
    assert outcomes(role, world) == {name: call.outcomes[role] for name, call in CALLS.items()}


def test_every_list_of_records_opens(world: dict[str, str]) -> None:
    client = superuser()
    for app, model in RECORDS:
        assert client.get(reverse(f"admin:{app}_{model}_changelist")).status_code == 200
