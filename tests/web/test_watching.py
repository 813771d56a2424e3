"""A raw clip beside its blind copy: for admins, once it is recorded, and without an opaque id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from blinding.models import BlindCopy, Stimulus
from fartbench.models import AuditEntry
from generation.models import RawView, Sample
from tests.factories import make_staff
from tests.manifests import Lab
from tests.small_lab import make_ready

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample(settings: Any, tmp_path: Path) -> Sample:
    settings.DATA_DIR = tmp_path / "data"
    folder = tmp_path / "lab"
    folder.mkdir()
    make_ready(Lab(folder, configurations=("alpha",)))
    return Sample.objects.order_by("pk")[0]


def client_of(name: str, *rights: str) -> Client:
    client, staff = Client(), make_staff(name)
    staff.user_permissions.add(*Permission.objects.filter(codename__in=rights))
    client.force_login(staff)
    return client


def test_watching_is_recorded_before_anything_is_sent(sample: Sample) -> None:
    ada = client_of("ada", "change_round")
    page = f"/staff/generation/samples/{sample.pk}/watch/"
    copy = BlindCopy.objects.get(sample=sample)
    files = (f"{page}raw", f"{page}{copy.pk}")
    assert "<video" not in ada.get(page).text
    assert [ada.get(file).status_code for file in files] == [404, 404]
    assert not RawView.objects.exists()
    shown = ada.post(page, follow=True).text
    entry = AuditEntry.objects.get(action="raw clip watched")
    assert (entry.actor, entry.round_name) == ("ada", "r1")
    assert entry.details == {"cell": str(sample.cell)}
    assert RawView.objects.get().viewer == "ada"
    assert shown.count("<video") == 2
    assert not [one for one in Stimulus.objects.values_list("pk", flat=True) if one in shown]
    raw, blind = (b"".join(ada.get(file)) for file in files)  # type: ignore[arg-type]
    assert sample.clip is not None
    assert raw == sample.clip.path.read_bytes()
    assert blind == copy.path.read_bytes() != raw


def test_a_part_of_a_clip_is_sent_and_no_other_sample_s_copy(sample: Sample) -> None:
    ada = client_of("ada", "change_round")
    page = f"/staff/generation/samples/{sample.pk}/watch/"
    ada.post(page)
    part = ada.get(f"{page}raw", headers={"Range": "bytes=0-9"})
    assert (part.status_code, part["Content-Length"]) == (206, "10")
    other = BlindCopy.objects.exclude(sample=sample)[0]
    assert ada.get(f"{page}{other.pk}").status_code == 404
    assert ada.get(f"/staff/generation/samples/{other.sample_id}/watch/raw").status_code == 404


def test_staff_who_run_no_rounds_do_not_watch(sample: Sample) -> None:
    stan = client_of("stan")
    assert stan.post(f"/staff/generation/samples/{sample.pk}/watch/").status_code == 403
    assert not AuditEntry.objects.filter(action="raw clip watched").exists()
