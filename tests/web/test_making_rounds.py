"""Making a round in the browser, loading what it needs, and deleting it again."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from blinding.models import BlindCopy
from fartbench.models import AuditEntry, Job, ProtocolVersion, Round
from generation.configurations.loader import FOLDER as CONFIGURATIONS
from generation.configuring import load_configurations
from generation.models import Cell, Configuration, Sample
from review.services import set_cohort
from tests.factories import CORE_R01, CORE_V01, make_protocol, make_round, make_staff
from tests.scoring.rows import make_filled_round, make_open_round
from tests.streamav.small import FOLDER as ROLLOUTS

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]
LIFT = ["r01-lift"]


@pytest.fixture
def admin() -> Client:
    user = make_staff("ada")
    user.user_permissions.add(*Permission.objects.filter(codename="change_round"))
    client = Client()
    client.force_login(user)
    return client


def make(client: Client, **fields: Any) -> Any:
    given = {
        "action": "create",
        "protocol": "core-r01@1.0.0",
        "name": "spring",
        "replicates": "1",
        "scenes": LIFT,
        "source": "own",
    }
    return client.post(reverse("make-round"), given | fields, follow=True)


def text(answer: Any) -> str:
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


@pytest.mark.parametrize(
    ("source", "following"),
    [
        ("own", "/staff/generation/rounds/spring/clips/"),
        ("providers", "/staff/generation/rounds/spring/prompts/"),
        ("built_in", "/staff/rounds/spring/"),
    ],
)
def test_a_round_leads_on_to_what_is_next(admin: Client, source: str, following: str) -> None:
    make_protocol()
    load_configurations(folder=CONFIGURATIONS / "seedance-2.5.yaml", actor="test")
    made = make(admin, source=source, configurations=["seedance-2.5"])
    assert made.redirect_chain[-1][0] == following
    round_ = Round.objects.get()
    assert (round_.name, round_.scenes, round_.replicates) == ("spring", LIFT, 1)
    names = set(Configuration.objects.filter(cells__round=round_).values_list("name", flat=True))
    assert ("seedance-2.5" in names) == (source == "providers")
    assert bool(Job.objects.filter(kind="generate", round_name="spring")) == (source == "built_in")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "a b"}, "Letters, digits, “.”, “-” and “_” only"),
        ({"name": ""}, "This field is required"),
        ({"replicates": "21"}, "less than or equal to 20"),
        ({"replicates": "²"}, "Enter a whole number"),
        ({"scenes": []}, "Choose at least one"),
        ({"scenes": ["r01-soup"]}, "Select a valid choice"),
        ({"source": ""}, "Choose one"),
        ({"source": "providers"}, "Choose at least one, or another source"),
        ({"source": "a friend"}, "Select a valid choice"),
    ],
)
def test_a_refused_form_keeps_what_was_entered(
    admin: Client, fields: dict[str, Any], words: str
) -> None:
    make_protocol()
    page = text(make(admin, **{"replicates": "7", "scenes": ["r01-toast"]} | fields))
    assert words in page
    assert "everything else is as you left it" in page
    assert not Round.objects.exists()
    if "name" not in fields:
        assert 'value="spring"' in page
    if "replicates" not in fields:
        assert 'value="7"' in page
    if "scenes" not in fields:
        assert 'value="r01-toast" checked' in page
        assert 'value="r01-lift" checked' not in page


def test_a_name_that_is_taken_is_refused_and_kept(admin: Client) -> None:
    make_round(name="spring")
    page = text(make(admin, scenes=["r01-toast"]))
    assert "exists already" in page
    assert 'value="spring"' in page


def test_the_number_of_clips_is_the_protocols_own(admin: Client) -> None:
    make_protocol()
    make_protocol(CORE_V01)
    choice = text(admin.get(reverse("make-round")))
    assert "core-r01@1.0.0" in choice
    assert "core-v0.1@0.1.0" in choice
    for name, replicates in (("core-r01@1.0.0", 1), ("core-v0.1@0.1.0", 3)):
        page = text(admin.get(reverse("make-round"), {"protocol": name}))
        assert f'min="1" max="20" value="{replicates}"' in page


def test_what_of_rollouts_is_judged_is_chosen_on_the_page(admin: Client) -> None:
    protocol = make_protocol(ROLLOUTS)
    page = text(admin.get(reverse("make-round")))
    assert "Over which horizons" in page
    rules = protocol.rules
    assert rules.rollouts is not None
    horizon = f"{min(rules.rollouts.scenarios[0].horizons_s):g}"
    kind = rules.rollouts.units.kinds[0].kind
    made = make(
        admin,
        protocol=str(protocol),
        scenes=[scene.key for scene in rules.scenes],
        source="built_in",
        horizons=[horizon],
        kinds=[one.kind for one in rules.rollouts.units.kinds],
        reviewers="1",
    )
    assert made.redirect_chain[-1][0] == "/staff/rounds/spring/"
    looks = Round.objects.get().looks
    assert looks is not None
    assert (looks.horizons, looks.looks) == ((float(horizon),), 1)
    assert kind in looks.kinds
    # Experts have to accept its scenarios first: it is laid out, and nothing is drawn.
    assert Cell.objects.exists()
    assert not Job.objects.exists()


def sent(client: Client, action: str, name: str, data: bytes) -> str:
    file = SimpleUploadedFile(name, data)
    address = reverse("generation-library")
    return text(client.post(address, {"action": action, "file": file}, follow=True))


def packed(folder: Path, top: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in folder.rglob("*"):
            if path.is_file():
                archive.write(path, f"{top}{path.relative_to(folder)}")
    return out.getvalue()


def test_what_comes_with_the_program_is_loaded_by_a_button(admin: Client) -> None:
    address = reverse("generation-library")
    assert "core-r01/1.0.0" in text(admin.get(address))
    given = {"action": "bundled_protocol", "protocol": "core-r01/1.0.0"}
    assert "core-r01@1.0.0 is loaded: 4 scenes" in text(admin.post(address, given, follow=True))
    assert ProtocolVersion.objects.get().name == "core-r01"
    loaded = text(admin.post(address, {"action": "bundled_configurations"}, follow=True))
    assert "25 configurations added, 0 changed, 0 unchanged" in loaded
    other = given | {"protocol": "../../tests/streamav"}
    assert "comes with the program" in text(admin.post(address, other, follow=True))
    assert "Choose a file" in text(admin.post(address, {"action": "protocol"}, follow=True))


@pytest.mark.parametrize("top", ["", "mine/"])
def test_a_protocol_comes_in_as_a_file_or_a_folder(admin: Client, top: str) -> None:
    assert "core-r01@1.0.0 is loaded" in sent(admin, "protocol", "p.zip", packed(CORE_R01, top))
    again = (CORE_R01 / "protocol.yaml").read_bytes()
    assert "core-r01@1.0.0 is loaded" in sent(admin, "protocol", "core.yaml", again)
    assert ProtocolVersion.objects.count() == 1
    assert AuditEntry.objects.filter(action="protocol loaded", actor="ada").count() == 1
    rollouts = sent(admin, "protocol", "rollouts.zip", packed(ROLLOUTS, top))
    assert "is loaded" in rollouts


def test_a_bad_protocol_is_refused_by_file_path_and_rule(admin: Client) -> None:
    good = (CORE_R01 / "protocol.yaml").read_text(encoding="utf-8")
    bad = good.replace("summary:", "sumary:")
    page = sent(admin, "protocol", "mine.yaml", bad.encode())
    assert "mine.yaml: 2 faults, nothing was changed." in page
    assert "sumary: unknown key" in page
    assert tempfile.gettempdir() not in page
    changed = good.replace("title:", "title: A changed one #", 1)
    assert "A changed protocol is a new version" in (
        sent(admin, "protocol", "a.yaml", good.encode())
        and sent(admin, "protocol", "b.yaml", changed.encode())
    )
    hostile = io.BytesIO()
    with zipfile.ZipFile(hostile, "w") as archive:
        archive.writestr("../protocol.yaml", good)
    assert "it is not a path inside" in sent(admin, "protocol", "p.zip", hostile.getvalue())


def test_configurations_come_in_as_a_file_or_several(admin: Client) -> None:
    one = (CONFIGURATIONS / "seedance-2.5.yaml").read_bytes()
    assert "1 configurations added" in sent(admin, "configurations", "seedance-2.5.yaml", one)
    page = sent(admin, "configurations", "all.zip", packed(CONFIGURATIONS))
    assert "24 configurations added, 0 changed, 1 unchanged" in page
    assert "the file is called" in sent(admin, "configurations", "other.yaml", one)
    wrong = one.replace(b"provider:", b"provder:", 1)
    page = sent(admin, "configurations", "seedance-2.5.yaml", wrong)
    assert "seedance-2.5.yaml: " in page
    assert "unknown key" in page
    assert tempfile.gettempdir() not in page


def delete(client: Client, name: str, typed: str) -> str:
    address = reverse("generation-delete", args=[name])
    return text(client.post(address, {"name": typed}, follow=True))


def test_a_draft_is_deleted_when_its_name_is_typed(admin: Client) -> None:
    make_protocol()
    make(admin, source="built_in")
    round_ = Round.objects.get()
    set_cohort(round=round_, emails=[f"p{n}@example.org" for n in range(4)], actor="test")
    assert "That is not its name" in delete(admin, "spring", "sprang")
    assert Round.objects.exists()
    assert "Round spring is deleted" in delete(admin, "spring", "spring")
    assert not Round.objects.exists()
    assert not Sample.every.exists()
    assert not Job.objects.exists()
    entry = AuditEntry.objects.get(action="round deleted")
    assert (entry.actor, entry.round_name, entry.details["reviewers"]) == ("ada", "spring", 4)


@pytest.mark.parametrize(
    ("make_it", "words"),
    [
        (make_open_round, "It was opened"),
        (make_filled_round, "Its blind copies are made"),
    ],
)
def test_a_round_with_something_to_keep_stays(admin: Client, make_it: Any, words: str) -> None:
    round_ = make_it(name="spring", scenes=LIFT)
    if make_it is make_filled_round:
        sample = Sample.objects.filter(cell__round=round_).first()
        BlindCopy.objects.get_or_create(
            sample=sample, defaults={"sha256": "0" * 64, "size": 1, "facts": {}, "technical": {}}
        )
    assert words in text(admin.get(reverse("generation-delete", args=["spring"])))
    assert words in delete(admin, "spring", "spring")
    assert Round.objects.exists()
