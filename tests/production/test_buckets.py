"""Clips and blind copies in a bucket: on a real S3 server."""

import os
import shutil
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings as project
from django.core.management import call_command
from django.test import RequestFactory

from blinding.errors import BlindCopyMissing
from blinding.stimuli import check_files
from blinding.views import stream
from fartbench import buckets
from fartbench.jobs import PASSING
from fartbench.storage import ContentStore, StorageAway, file_sha256
from fartbench.stores import blind_copies, raw_clips
from operations import health
from tests import factories
from tests.production.servers import Bucket

BYTES = bytes(range(256)) * 40_000  # over the size at which an upload goes in parts


def keep(store: ContentStore, data: bytes = BYTES) -> str:
    with store.scratch() as scratch:
        scratch.write_bytes(data)
        sha256 = file_sha256(scratch)
        store.keep(scratch, sha256=sha256)
    return sha256


def forget_here() -> None:
    shutil.rmtree(project.DATA_DIR)


def test_what_is_kept_lies_in_the_bucket_and_any_machine_fetches_it_whole(bucket: Bucket) -> None:
    sha256 = keep(raw_clips())
    assert bucket.names() == {f"clips/{sha256[:2]}/{sha256}"}
    forget_here()
    assert raw_clips().path(sha256).read_bytes() == BYTES
    assert raw_clips().stored_sha256(sha256) == sha256
    assert health.elsewhere() == {"bucket": True}
    keep(raw_clips())  # the same again
    assert len(bucket.names()) == 1


def test_raw_clips_and_blind_copies_are_apart(bucket: Bucket) -> None:
    sha256 = keep(raw_clips(), b"raw")
    assert not blind_copies().path(sha256).exists()
    assert blind_copies().stored_sha256(sha256) is None


def test_what_was_changed_in_the_bucket_does_not_pass_for_what_it_was(bucket: Bucket) -> None:
    sha256 = keep(raw_clips())
    bucket.client().put_object(
        Bucket="fartbench", Key=f"clips/{sha256[:2]}/{sha256}", Body=b"other bytes"
    )
    forget_here()
    assert not raw_clips().path(sha256).exists()
    assert raw_clips().stored_sha256(sha256) not in (sha256, None)


def test_what_was_not_used_for_long_is_dropped_here_and_fetched_again(bucket: Bucket) -> None:
    old, used, wanted = (keep(raw_clips(), data) for data in (b"old", b"used", b"wanted"))
    before = time.time() - buckets.KEPT_S - 60
    for sha256 in (old, used):
        os.utime(raw_clips().path(sha256), (before, before))
    raw_clips().path(used)
    raw_clips().path(wanted).unlink()
    raw_clips().path(wanted)
    assert [ContentStore.path(raw_clips(), sha256).exists() for sha256 in (old, used, wanted)] == [
        False,
        True,
        True,
    ]
    assert raw_clips().path(old).read_bytes() == b"old"


@pytest.mark.django_db
def test_opening_looks_at_the_bucket_and_not_at_what_lies_here(bucket: Bucket) -> None:
    stimulus = factories.make_stimulus(factories.make_round())
    check_files([stimulus])
    bucket.client().delete_object(
        Bucket="fartbench", Key=f"blind/{stimulus.sha256[:2]}/{stimulus.sha256}"
    )
    with pytest.raises(BlindCopyMissing, match="missing from storage"):
        check_files([stimulus])


@pytest.mark.django_db
def test_a_bucket_that_is_away_is_said_in_words_and_nothing_is_lost(
    bucket: Bucket, settings: Any
) -> None:
    stimulus = factories.make_stimulus(factories.make_round())
    forget_here()
    away = {
        "BACKEND": "fartbench.buckets.Bucket",
        "OPTIONS": bucket.options | {"endpoint_url": "http://127.0.0.1:9"},
    }
    settings.STORAGES = {**settings.STORAGES, "bucket": away}
    with pytest.raises(StorageAway) as caught:
        keep(blind_copies(), b"new")
    assert health.elsewhere() == {"bucket": False}
    assert "EndpointConnectionError" in str(caught.value)
    assert not {"a-secret-of-the-bucket", stimulus.sha256, "127.0.0.1"} & set(
        str(caught.value).split()
    )
    response = stream(RequestFactory().get("/media/x"), stimulus)
    assert response.status_code == 503
    assert isinstance(caught.value, PASSING)


def test_wrong_keys_are_a_refusal_without_the_keys(bucket: Bucket, settings: Any) -> None:
    wrong = {
        "BACKEND": "fartbench.buckets.Bucket",
        "OPTIONS": bucket.options | {"secret_key": "hunter2hunter2"},
    }
    settings.STORAGES = {**settings.STORAGES, "bucket": wrong}
    with pytest.raises(StorageAway) as caught:
        keep(raw_clips(), b"new")
    assert "hunter2" not in str(caught.value)
    assert bucket.names() == set()
    assert health.elsewhere() == {"bucket": False}


@pytest.mark.django_db
def test_set_up_makes_a_private_bucket_once(
    bucket: Bucket, settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.STATIC_ROOT = tmp_path / "static"
    options = bucket.options | {"bucket_name": "brand-new"}
    settings.STORAGES = {
        **settings.STORAGES,
        "bucket": {"BACKEND": "fartbench.buckets.Bucket", "OPTIONS": options},
    }
    call_command("set_up")
    call_command("set_up")
    said = capsys.readouterr().out
    assert said.index("The bucket was made.") < said.index("The bucket is there.")
    assert (tmp_path / "static" / "staticfiles.json").exists()
    keep(raw_clips())
    bucket.client().delete_object(Bucket="brand-new", Key=next(iter(names_in(bucket, "brand-new"))))
    bucket.client().delete_bucket(Bucket="brand-new")


def names_in(bucket: Bucket, name: str) -> list[str]:
    return [entry["Key"] for entry in bucket.client().list_objects_v2(Bucket=name)["Contents"]]


def test_nobody_reads_the_bucket_without_its_keys(bucket: Bucket) -> None:
    sha256 = keep(raw_clips())
    answer = httpx.get(
        f"{bucket.endpoint}/fartbench/clips/{sha256[:2]}/{sha256}", trust_env=False, timeout=60
    )
    assert answer.status_code == 403
