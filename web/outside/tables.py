"""The tables of published rounds as CSV and JSON, for programs and for pages of other sites."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response

from scoring.models import Release
from web.outside.open_to_all import open_to_all
from web.pages.files import keep_for_an_hour, published_file, send
from web.pages.published import newest_releases, release_or_404

DESCRIPTION = "croissant.json"
INTEGER = "sc:Integer"


def table_names(release: Release) -> list[str]:
    """Return the tables of a release, by name."""
    paths = [PurePosixPath(path) for path in release.manifest["files"]]
    return sorted(path.stem for path in paths if path.suffix == ".csv" and len(path.parts) == 1)


@open_to_all
def rounds(_: HttpRequest) -> HttpResponseBase:
    """List the published rounds with the addresses of their tables."""
    described = [_described(release) for release in newest_releases().defer(None)]
    return JsonResponse({"rounds": described}, json_dumps_params={"indent": 1})


@open_to_all
def as_csv(
    request: HttpRequest, name: str, table: str, number: int | None = None
) -> HttpResponseBase:
    """Send a table as the file of its release."""
    release = _release_with(name, number, table)
    return send(request, release, f"{table}.csv")


@open_to_all
def as_json(
    request: HttpRequest, name: str, table: str, number: int | None = None
) -> HttpResponseBase:
    """Send a table as JSON: what it is from, its columns in words, and a list of rows. Whole
    numbers are numbers, empty cells are null, and everything else is text as in the CSV file.
    """
    release = _release_with(name, number, table)
    path = f"{table}.csv"
    sha256 = release.manifest["files"][path]
    etag = f'"{sha256}-json"'
    if unchanged := get_conditional_response(request, etag=etag):
        return unchanged
    published_file(release, path)
    response = StreamingHttpResponse(_written(release, table), content_type="application/json")
    response["ETag"] = etag
    keep_for_an_hour(response)
    return response


def _release_with(name: str, number: int | None, table: str) -> Release:
    release = release_or_404(name, number)
    if table not in table_names(release):
        raise Http404
    return release


def _described(release: Release) -> dict[str, Any]:
    round_ = release.round
    tables = {
        name: {
            "csv": _address("public-table-csv", round_.name, name),
            "json": _address("public-table-json", round_.name, name),
        }
        for name in table_names(release)
    }
    return {"page": _address("leaderboard", round_.name), **_facts(release), "tables": tables}


def _facts(release: Release) -> dict[str, Any]:
    protocol = release.round.protocol
    return {
        "round": release.round.name,
        "protocol": f"{protocol.name}@{protocol.version}",
        "release": release.number,
        "release_sha256": release.digest,
        "published_at": release.created_at.isoformat(),
        "demonstration": release.demonstration,
        "licence": release.manifest["release"].get("licence") or None,
    }


def _address(view: str, *args: str) -> str:
    return f"{settings.BASE_URL}{reverse(view, args=args)}"


def _written(release: Release, table: str) -> Iterator[str]:
    """Yield the JSON of a table row by row: a table may be larger than the memory."""
    columns = _columns(release, table)
    whole = {column["name"] for column in columns if column["type"] == INTEGER}
    head = {**_facts(release), "table": table, "columns": columns}
    yield f"{json.dumps(head, ensure_ascii=False)[:-1]}, " + '"rows": ['
    separator = "\n"
    with (release.folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cells = {name: _cell(text, name in whole) for name, text in row.items()}
            yield separator + json.dumps(cells, ensure_ascii=False)
            separator = ",\n"
    yield "\n]}\n"


def _cell(text: str, is_whole: bool) -> str | int | None:
    if not text:
        return None
    return int(text) if is_whole else text


def _columns(release: Release, table: str) -> list[dict[str, str]]:
    """Return name, words and type of each column, as the release describes itself."""
    described = json.loads((release.folder / DESCRIPTION).read_bytes())
    (found,) = (one for one in described["recordSet"] if one["name"] == table)
    return [
        {
            "name": field["source"]["extract"]["column"],
            "words": field["description"],
            "type": field["dataType"],
        }
        for field in found["field"]
    ]
