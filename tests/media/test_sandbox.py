import errno
import os
from pathlib import Path

import pytest

from fartbench.media.errors import MediaTimeout, MediaToolDied, UnsafeMedia
from fartbench.media.sandbox import Sandbox
from tests.media import jobs

CLIP = Path("some clip.mp4")


@pytest.fixture
def sandbox():
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


def test_the_child_runs_one_function_after_another(sandbox):
    assert sandbox.call(jobs.name_of, CLIP, "!", seconds=20) == "some clip.mp4!"
    first = sandbox.pid
    assert sandbox.call(jobs.name_of, CLIP, "?", seconds=20) == "some clip.mp4?"
    assert sandbox.pid == first != os.getpid()


@pytest.mark.parametrize(
    ("job", "refusal", "word"),
    [
        (jobs.hang, MediaTimeout, "within 1 s"),
        (jobs.die, MediaToolDied, "reader of media stop"),
        (jobs.hoard, UnsafeMedia, "more memory"),
        (jobs.fail, MediaToolDied, "a fault of the reader"),
    ],
)
def test_a_child_that_goes_wrong_is_named_and_replaced(sandbox, job, refusal, word):
    with pytest.raises(refusal, match=word) as caught:
        sandbox.call(job, CLIP, seconds=1 if job is jobs.hang else 20)
    assert "some clip.mp4" in str(caught.value)
    assert sandbox.call(jobs.name_of, CLIP, "", seconds=20) == "some clip.mp4"


def test_output_is_bounded(sandbox, tmp_path):
    with pytest.raises(MediaToolDied):
        sandbox.call(jobs.write_much, CLIP, str(tmp_path / "large"), seconds=20)


def test_a_full_disk_is_not_the_files_fault(sandbox):
    with pytest.raises(OSError, match="No space left") as caught:
        sandbox.call(jobs.fill_the_disk, CLIP, seconds=20)
    assert caught.value.errno == errno.ENOSPC
    assert sandbox.call(jobs.name_of, CLIP, "", seconds=20) == "some clip.mp4"


def test_the_child_knows_none_of_the_parents_secrets(sandbox, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "not for a child that reads hostile files")
    assert "SECRET_KEY" not in sandbox.call(jobs.environment, CLIP, seconds=20)


def test_a_forked_worker_gets_a_child_of_its_own(sandbox):
    assert sandbox.call(jobs.name_of, CLIP, "", seconds=20) == "some clip.mp4"
    mine = sandbox.pid
    worker = os.fork()
    if worker == 0:
        status = 1
        try:
            sandbox.forget()
            sandbox.call(jobs.name_of, CLIP, "", seconds=20)
            status = 0 if sandbox.pid not in (None, mine) else 2
            sandbox.close()
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == 0
    assert sandbox.call(jobs.name_of, CLIP, "", seconds=20) == "some clip.mp4"
    assert sandbox.pid == mine
