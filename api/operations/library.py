"""Protocols and configurations that are loaded."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile

from api.guard import operation, token_of
from api.scopes import Role, Scope
from fartbench.models import ProtocolVersion
from generation.models import Configuration
from web.generation.library import load_sent_configurations, load_sent_protocol

ROUTER = Router(tags=["protocols and configurations"])


class ProtocolLine(Schema):
    """A protocol that is loaded."""

    name: str
    version: str
    digest: str
    title: str
    maturity: str
    scenes: list[str]


class ConfigurationLine(Schema):
    """A configuration that can be commissioned."""

    name: str
    label: str
    provider: str
    model_id: str
    track: str


class Loaded(Schema):
    """What was loaded, in words."""

    words: str


@operation(ROUTER, "GET", "/protocols", scope=Scope.ROUNDS_READ, response=list[ProtocolLine])
def list_protocols(request: HttpRequest) -> list[ProtocolLine]:
    """List the protocols that rounds can be made on."""
    return [
        ProtocolLine(
            name=version.name,
            version=version.version,
            digest=version.digest,
            title=version.rules.title,
            maturity=version.rules.maturity,
            scenes=[scene.key for scene in version.rules.scenes],
        )
        for version in ProtocolVersion.objects.order_by("name", "version")
    ]


@operation(
    ROUTER,
    "POST",
    "/protocols",
    scope=Scope.ADMIN,
    role=Role.ADMIN,
    response={201: Loaded},
)
def load_protocol(request: HttpRequest, file: File[UploadedFile]) -> Status[Loaded]:
    """Load a protocol from a YAML file, or a ZIP of its folder, sent as the field “file”."""
    return Status(201, Loaded(words=load_sent_protocol(file, token_of(request).actor)))


@operation(
    ROUTER,
    "POST",
    "/configurations",
    scope=Scope.ADMIN,
    role=Role.ADMIN,
    response={201: Loaded},
)
def send_configurations(request: HttpRequest, file: File[UploadedFile]) -> Status[Loaded]:
    """Load configurations from a YAML file, or a ZIP of several, sent as the field “file”."""
    return Status(201, Loaded(words=load_sent_configurations(file, token_of(request).actor)))


@operation(
    ROUTER, "GET", "/configurations", scope=Scope.ROUNDS_READ, response=list[ConfigurationLine]
)
def list_configurations(request: HttpRequest) -> list[ConfigurationLine]:
    """List the configurations that are loaded."""
    return [
        ConfigurationLine(
            name=one.name,
            label=one.label,
            provider=one.provider,
            model_id=one.model_id,
            track=one.track,
        )
        for one in Configuration.objects.exclude(digest="").order_by("name")
    ]
