"""A release described in Croissant 1.0 (MLCommons), so that data tools can load its tables.

No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.records import RoundRecord
from scoring.release.columns import Column, Table
from scoring.release.manifest import Issue

DATA_TYPES = {"text": "sc:Text", "integer": "sc:Integer", "time": "sc:DateTime"}
ENCODINGS = {
    "csv": "text/csv",
    "jsonl": "application/jsonlines",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "svg": "image/svg+xml",
    "md": "text/markdown",
}

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    record: RoundRecord, files: Mapping[str, str], issue: Issue, tables: Sequence[Table]
) -> dict[str, Any]:
    """Return the description. ``files`` are the SHA-256 of each file by its path."""
    version = issue.number
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": f"{record.protocol.name}-{record.name}",
        "description": f"{record.protocol.summary} Answers, scores and reports of round "
        f"{record.name}.",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "url": issue.address,
        **({"license": issue.licence} if issue.licence else {}),
        "version": f"{version}.0.0",
        "datePublished": record.closed_at[:10],
        "citeAs": f"{record.protocol.title}, round {record.name}, release {version}, "
        f"{record.protocol.label}",
        "isLiveDataset": False,
        "distribution": distribution(files),
        "recordSet": [_record_set(table) for table in tables],
    }


def distribution(files: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the description of each file, from the SHA-256 of each by its path."""
    return [_file(path, digest) for path, digest in sorted(files.items())]


def _file(path: str, digest: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "encodingFormat": ENCODINGS[path.rpartition(".")[2]],
        "sha256": digest,
    }


def _record_set(table: Table) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.words,
        "field": _fields(table, table.columns),
    }


def _fields(table: Table, columns: Sequence[Column]) -> list[dict[str, Any]]:
    return [
        {
            "@type": "cr:Field",
            "@id": f"{table.name}/{column.name}",
            "name": f"{table.name}/{column.name}",
            "description": column.words,
            "dataType": DATA_TYPES[column.kind],
            "source": {
                "fileObject": {"@id": f"{table.name}.csv"},
                "extract": {"column": column.name},
            },
        }
        for column in columns
    ]
