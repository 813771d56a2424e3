"""What a configuration stands for: recorded when it is edited, and fixed everywhere when a round
with it opens.
"""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from ruamel.yaml import YAML

from fartbench.models import AuditEntry
from generation.configurations.loader import FOLDER
from generation.configuring import load_configurations
from generation.errors import ConfigurationInUse
from generation.models import Cell, Configuration, Family
from rounds import opening as rounds
from tests.scoring.rows import make_filled_round, make_open_round

pytestmark = pytest.mark.django_db
SCENES = ["r01-lift"]
FORM = {"label": "alpha", "provider": "imported", "model_id": "", "parameters": "{}",
        "track": "core-av", "family": "",
        "provisional": "on"}  # fmt: skip


def page_of(record: Any) -> str:
    return reverse(f"admin:generation_{record._meta.model_name}_change", args=[record.pk])


@pytest.fixture
def root(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.mark.parametrize(
    ("field", "new"),
    [
        ("label", "Other"),
        ("provider", "kling"),
        ("model_id", "x-1"),
        ("track", "legacy"),
        ("parameters", '{"a": 1}'),
    ],
)
def test_an_edit_before_the_opening_is_an_entry_and_after_it_is_refused(
    root: Client, field: str, new: str
) -> None:
    round_ = make_filled_round(configurations=("alpha", "beta"), scenes=SCENES)
    alpha = Configuration.objects.get(name="alpha")
    old = getattr(alpha, field)
    assert root.post(page_of(alpha), FORM | {field: new}).status_code == 302
    alpha.refresh_from_db()
    entry = AuditEntry.objects.get(action="configuration changed")
    assert (entry.actor, entry.details["name"]) == ("root", "alpha")
    assert (entry.details["old"], entry.details["new"]) == (
        {field: old},
        {field: getattr(alpha, field)},
    )
    rounds.open_round(round_=round_, actor="test")
    assert root.post(page_of(alpha), FORM | {field: f"{old or 1}"}).status_code == 403
    stored = getattr(alpha, field)
    alpha.refresh_from_db()
    assert getattr(alpha, field) == stored
    assert AuditEntry.objects.filter(action="configuration changed").count() == 1


def test_a_described_configuration_stays_and_a_provisional_one_can_be_described(
    root: Client,
) -> None:
    alpha = Configuration.objects.create(name="alpha", label="alpha", provisional=True)
    described = {key: value for key, value in FORM.items() if key != "provisional"} | {
        "label": "Alpha 1"
    }
    assert root.post(page_of(alpha), described).status_code == 302
    assert root.post(page_of(alpha), described | {"label": "Alpha 2"}).status_code == 403
    alpha.refresh_from_db()
    assert (alpha.label, alpha.provisional) == ("Alpha 1", False)


def test_a_family_is_recorded_before_and_fixed_at_the_opening(root: Client) -> None:
    family = Family.objects.create(name="greek", label="Greek")
    Configuration.objects.create(name="alpha", label="alpha", family=family)
    round_ = make_filled_round(configurations=("alpha",), scenes=SCENES)
    assert root.post(page_of(family), {"name": "greek", "label": "Hellenic"}).status_code == 302
    details = AuditEntry.objects.get(action="family changed").details
    assert (details["old"], details["new"]) == ({"label": "Greek"}, {"label": "Hellenic"})
    rounds.open_round(round_=round_, actor="test")
    assert root.post(page_of(family), {"name": "roman", "label": "Roman"}).status_code == 403
    assert (
        root.post(
            reverse("admin:generation_family_delete", args=[family.pk]), {"post": "yes"}
        ).status_code
        == 403
    )


def test_a_file_describes_no_configuration_of_an_opened_round(tmp_path: Path) -> None:
    content = dict(YAML(typ="safe").load((FOLDER / "seedance-2.5.yaml").read_text()))
    with (tmp_path / "seedance-2.5.yaml").open("w") as file:
        YAML().dump(content, file)
    make_open_round(configurations=("seedance-2.5",), scenes=SCENES)
    with pytest.raises(ConfigurationInUse, match="was opened"):
        load_configurations(folder=tmp_path, actor="test")
    assert Configuration.objects.get().provisional


EDITS = {
    "names are swapped": "UPDATE generation_configuration SET name = CASE name WHEN 'alpha' THEN "
                         "'beta2' ELSE name END",
    **{
        f"{column} is changed": f"UPDATE generation_configuration SET {column} = {value} WHERE "
                                "name = 'alpha'"
        for column, value in {
            "name": "'gamma'", "label": "'x'", "provider": "'x'", "model_id": "'x'",
            "track": "'legacy'",
            "digest": "'00'", "content": "'{}'", "parameters": "'{}'", "family_id": "NULL",
            "provisional": "NOT provisional",
        }.items()
    },
    "it is removed": "DELETE FROM generation_configuration WHERE name = 'alpha'",
    "its family is renamed": "UPDATE generation_family SET name = 'x'",
    "its family is relabelled": "UPDATE generation_family SET label = 'x'",
    "a cell is given to another": "UPDATE generation_cell SET configuration_id = "
    "(SELECT id FROM generation_configuration WHERE name = 'beta')",
    "a cell is of another scene": "UPDATE generation_cell SET scene = 'r01-toast'",
    "a cell is another replicate": "UPDATE generation_cell SET replicate = 7",
    "a cell leaves": "DELETE FROM generation_cell",
    "a cell joins": "INSERT INTO generation_cell (round_id, configuration_id, scene, replicate, "
                    "limitation) "
    "SELECT round_id, configuration_id, scene, 9, '' FROM generation_cell",
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_the_database_itself_refuses_it_in_an_opened_round(edit: str) -> None:
    family = Family.objects.create(name="greek", label="Greek")
    for name in ("alpha", "beta"):
        Configuration.objects.create(name=name, label=name, family=family)
    make_open_round(configurations=("alpha", "beta"), scenes=SCENES)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(EDITS[edit])
    assert set(Cell.objects.values_list("configuration__name", "scene", "replicate")) == {
        ("alpha", "r01-lift", 1), ("beta", "r01-lift", 1),
    }  # fmt: skip
