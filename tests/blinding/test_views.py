"""Serving a blind copy: whole, in ranges, and with the same headers for every clip."""

import pytest
from django.http import HttpResponseBase, StreamingHttpResponse
from django.test import RequestFactory

from blinding.models import Stimulus
from blinding.views import RangeNotSatisfiable, requested_range, stream
from tests import factories

SIZE = 80_000


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", None),
        ("bytes=0-", (0, 99)),
        ("bytes=0-0", (0, 0)),
        ("bytes=10-19", (10, 19)),
        ("bytes=90-500", (90, 99)),
        ("bytes=-10", (90, 99)),
        ("bytes=-500", (0, 99)),
        ("bytes = 5 - 6", (5, 6)),
        ("bytes=0-1,5-6", None),
        ("bytes=-", None),
        ("bytes=9-5", None),
        ("bytes=a-b", None),
        ("lines=1-2", None),
        ("bytes=99999999999999999999-", None),
    ],
)
def test_ranges_are_read_as_rfc_9110_says(header: str, expected: tuple[int, int] | None) -> None:
    assert requested_range(header, 100) == expected


@pytest.mark.parametrize("header", ["bytes=100-", "bytes=500-600", "bytes=-0"])
def test_a_range_outside_the_file_is_not_satisfiable(header: str) -> None:
    with pytest.raises(RangeNotSatisfiable):
        requested_range(header, 100)


@pytest.mark.django_db
class TestStream:
    @pytest.fixture
    def stimulus(self) -> Stimulus:
        return factories.make_stimulus(factories.make_round(), size=SIZE)

    def ask(self, stimulus: Stimulus, method: str = "GET", **headers: str) -> HttpResponseBase:
        return stream(RequestFactory().generic(method, "/media/x", headers=headers), stimulus)

    def body(self, response: HttpResponseBase) -> bytes:
        assert isinstance(response, StreamingHttpResponse)
        return b"".join(response)  # type: ignore[arg-type]

    def test_the_whole_file(self, stimulus: Stimulus) -> None:
        response = self.ask(stimulus)
        assert response.status_code == 200
        assert self.body(response) == stimulus.path.read_bytes()
        assert response["Content-Length"] == str(SIZE)

    def test_a_range(self, stimulus: Stimulus) -> None:
        response = self.ask(stimulus, Range="bytes=100-299")
        assert response.status_code == 206
        assert response["Content-Range"] == f"bytes 100-299/{SIZE}"
        assert response["Content-Length"] == "200"
        assert self.body(response) == stimulus.path.read_bytes()[100:300]

    def test_head_has_the_headers_and_no_body(self, stimulus: Stimulus) -> None:
        response = self.ask(stimulus, "HEAD")
        assert response["Content-Length"] == str(SIZE)
        assert self.body(response) == b""

    def test_outside_the_file_is_416(self, stimulus: Stimulus) -> None:
        response = self.ask(stimulus, Range=f"bytes={SIZE}-")
        assert response.status_code == 416
        assert response["Content-Range"] == f"bytes */{SIZE}"

    def test_headers_are_the_same_for_every_clip_and_tell_nothing(self, stimulus: Stimulus) -> None:
        other = factories.make_stimulus(stimulus.round, size=SIZE, scene="r01-squat", seconds=1.0)
        for asked in ({}, {"Range": "bytes=5-"}, {"Range": "bytes=999999-"}):
            one, two = self.ask(stimulus, **asked), self.ask(other, **asked)
            assert one.headers == two.headers
            assert not {"ETag", "Last-Modified", "Content-Disposition"} & set(one.headers)
            assert one["Cache-Control"] == "private, no-store"
