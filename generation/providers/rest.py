"""One adapter for every REST contract of the shape submit, look, download: the contract is data.

No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from fartbench.outgoing import json_of, retry_after_s, text_of
from fartbench.protocol.digest import canonical_bytes
from generation.providers import exchange
from generation.providers.access import Access, access
from generation.providers.answers import at, never_sent, number, of_error, trace
from generation.providers.contract import Contract, Listing
from generation.providers.download import download
from generation.providers.listing import UNREADABLE, job_in_list
from generation.providers.order import Order, Request
from generation.providers.port import (
    Absent,
    Accepted,
    CannotTell,
    Failed,
    Fetch,
    Finding,
    Look,
    NoAnswer,
    NotTaken,
    Output,
    Pending,
    Ready,
    Refused,
    Report,
    Submitted,
    Unsure,
    Usage,
)


class RestProvider:
    """Speaks one contract. It holds no key and no connection between calls."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.key = contract.key
        self.client = f"rest adapter 1 for {contract.key}, httpx {httpx.__version__}"

    def request(self, order: Order) -> Request:
        """Fill the contract's template."""
        model = {"model": order.model_id}
        endpoint = self.contract.submit.format(**model)
        return Request(endpoint, _filled(self.contract.body, order), tag=order.token)

    def submit(self, request: Request) -> Submitted:
        """Send the one POST. No redirect is followed and nothing is sent twice."""
        entry = access(self.key)
        body = _with_tag(request.body, request.tag)
        try:
            with exchange.client(entry) as http:
                answer = http.post(
                    entry.base_url + request.endpoint,
                    headers=self._headers(entry, json_body=True),
                    **self._encoded(body),
                )
        except httpx.HTTPError as error:
            words = f"{type(error).__name__}: {entry.redacted(str(error))}"
            if never_sent(error):
                return NotTaken(words, "not_sent")
            return Unsure(words)
        return self._read_submit(answer, entry, request.endpoint)

    def _read_submit(self, answer: httpx.Response, entry: Access, endpoint: str) -> Submitted:
        body = json_of(answer)
        exchanged = trace(answer.status_code, answer.headers, entry.redacted(text_of(answer)))
        provider_id = at(body, self.contract.provider_id)
        good = answer.is_success and (
            self.contract.ok is None or at(body, self.contract.ok[0]) == self.contract.ok[1]
        )
        if good and provider_id not in (None, ""):
            handle = {"endpoint": endpoint} | _links(body, entry)
            return Accepted(str(provider_id), handle, exchanged)
        if answer.is_success and (
            body is None or (self.contract.ok and at(body, self.contract.ok[0]) is None)
        ):
            return Unsure("The answer was a success without a readable body.", exchanged)
        if good:
            return Unsure("The answer was a success without an id.", exchanged)
        status = answer.status_code if not answer.is_success else 400
        meant = of_error(status, body, answer.headers, self.contract.moderation, exchanged)
        if isinstance(meant, NotTaken) and provider_id not in (None, ""):
            return Unsure(f"HTTP {status} with an id.", exchanged)
        return meant

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:
        """Ask for the state and, where the contract has one, for the result."""
        path = handle.get("status_url") or self.contract.look.format(id=provider_id, **_app(handle))
        answer = self._get(str(path))
        if isinstance(answer, NoAnswer):
            return answer
        body = json_of(answer)
        state = self.contract.states.get(str(at(body, self.contract.status)))
        if self._is_declined(body):
            return Refused(
                self._reason(body)[1] or "The provider's moderation declined it.",
                self._reason(body)[0],
            )
        if state in ("waiting", "working"):
            return Pending(started=state == "working", progress=_part(at(body, "progress")))
        if state == "failed":
            return self._failure(body)
        if state != "made":
            return NoAnswer(f"HTTP {answer.status_code} with an unknown state")
        if self.contract.result:
            return self._result(provider_id, handle)
        return self._made(body)

    def _result(self, provider_id: str, handle: Mapping[str, Any]) -> Look:
        path = handle.get("response_url") or self.contract.result.format(
            id=provider_id, **_app(handle)
        )
        answer = self._get(str(path), accept_errors=True)
        if isinstance(answer, NoAnswer):
            return answer
        body = json_of(answer)
        if answer.is_success:
            return self._made(body)
        return self._failure(body)

    def _made(self, body: Any) -> Look:
        contract = self.contract
        links = [at(body, path) for path in contract.outputs]
        outputs = tuple(Output(index, str(link)) for index, link in enumerate(filter(None, links)))
        if contract.content:
            outputs = (Output(0),)
        if not outputs:
            return Failed(
                "The provider says it is finished and gives no clip.",
                "no_output",
                self._usage(body),
            )
        returned = {
            path: value for path in contract.returned if (value := at(body, path)) is not None
        }
        version = str(at(body, contract.model_version) or "") if contract.model_version else ""
        return Ready(outputs, version, self._usage(body), returned)

    def _failure(self, body: Any) -> Look:
        code, message = self._reason(body)
        if (self.contract.look_moderation or self.contract.moderation).declines(code, message):
            return Refused(message or code, code)
        return Failed(message or code or "The provider gives no reason.", code, self._usage(body))

    def _reason(self, body: Any) -> tuple[str, str]:
        return (self.contract.look_moderation or self.contract.moderation).read(body)

    def _is_declined(self, body: Any) -> bool:
        return (
            self.contract.declined is not None
            and at(body, self.contract.declined[0]) == self.contract.declined[1]
        )

    def _usage(self, body: Any) -> Usage:
        ticks = number(at(body, self.contract.usd_ticks))
        tokens = number(at(body, self.contract.output_tokens))
        return Usage(
            usd_ticks=None if ticks is None else int(ticks),
            output_tokens=None if tokens is None else int(tokens),
        )

    def fetch(
        self, provider_id: str, handle: Mapping[str, Any], output: Output, out: Path, report: Report
    ) -> Fetch:
        """Download one output. The key is sent only to the provider's own address."""
        entry = access(self.key)
        if not self.contract.content:
            return download(entry, output.url, out, report)
        path = self.contract.content.format(id=provider_id, **_app(handle))
        return download(entry, entry.base_url + path, out, report, self._headers(entry))

    def find(
        self,
        request: Request,
        *,
        since: float,
        until: float,
        known: frozenset[str],
        rivals: int = 0,
    ) -> Finding:
        """Look for a lost job by our own name for it, or in the account's list."""
        if self.contract.by_tag:
            return self._find_by_tag(request)
        if self.contract.listing:
            return self._find_in_list(self.contract.listing, request, (since, until), known, rivals)
        return CannotTell(f"{self.key} has neither a list of jobs nor a name of ours to ask for.")

    def _find_by_tag(self, request: Request) -> Finding:
        answer = self._get(self.contract.by_tag.format(tag=request.tag), accept_errors=True)
        if isinstance(answer, NoAnswer):
            return CannotTell(answer.reason)
        provider_id = at(json_of(answer), self.contract.provider_id)
        if answer.is_success and provider_id:
            return Accepted(str(provider_id))
        # A page of somebody on the way is no proof.
        if answer.status_code == httpx.codes.NOT_FOUND and any(
            self.contract.moderation.read(json_of(answer))
        ):
            return Absent("The provider has no job of this name.")
        return CannotTell(f"HTTP {answer.status_code} when asked for a job by name")

    def _find_in_list(
        self,
        listing: Listing,
        request: Request,
        span: tuple[float, float],
        known: frozenset[str],
        rivals: int,
    ) -> Finding:
        answer = self._get(listing.path.format(page_size=listing.page_size))
        if isinstance(answer, NoAnswer):
            return UNREADABLE
        body = json_of(answer)
        return job_in_list(body, listing, request, span, known=known, rivals=rivals)

    def _get(self, path: str, *, accept_errors: bool = False) -> httpx.Response | NoAnswer:
        entry = access(self.key)
        url = path if path.startswith(entry.base_url) else entry.base_url + path
        try:
            with exchange.client(entry) as http:
                answer = http.get(url, headers=self._headers(entry))
        except httpx.HTTPError as error:
            return NoAnswer(f"{type(error).__name__} when asked how far it is")
        is_passing = answer.status_code in (408, 425, 429) or answer.status_code >= 500  # noqa: PLR2004
        if is_passing and not (accept_errors and json_of(answer)):
            return NoAnswer(
                f"HTTP {answer.status_code} when asked how far it is", retry_after_s(answer.headers)
            )
        if not answer.is_success and not accept_errors:
            return NoAnswer(f"HTTP {answer.status_code} when asked how far it is")
        return answer

    def _headers(self, entry: Access, *, json_body: bool = False) -> dict[str, str]:
        own = dict(self.contract.headers) if json_body else {}
        return {"Authorization": self.contract.authorization(entry.keys), **own}

    def _encoded(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if self.contract.encoding == "multipart":
            return {"files": {name: (None, str(value)) for name, value in body.items()}}
        return {"content": canonical_bytes(dict(body))}


def _filled(template: Any, order: Order) -> Any:
    if isinstance(template, Mapping):
        filled = {name: _filled(value, order) for name, value in template.items() if name != "**"}
        return {**filled, **(order.settings if "**" in template else {})}
    if isinstance(template, list | tuple):
        return [_filled(value, order) for value in template]
    if template == "$prompt":
        return order.prompt
    if template == "$model":
        return order.model_id
    return template


def _with_tag(body: Mapping[str, Any], tag: str) -> dict[str, Any]:
    return {name: tag if value == "$tag" else value for name, value in body.items()}


def _links(body: Any, entry: Access) -> dict[str, str]:
    # Links that an answer gives are followed with our key only on the provider's own address.
    links = {name: str(at(body, name) or "") for name in ("status_url", "response_url")}
    return {
        name: link
        for name, link in links.items()
        if link.startswith(f"{entry.base_url}/") and link.isprintable()
    }


def _app(handle: Mapping[str, Any]) -> dict[str, str]:
    # fal keeps jobs under the first two parts of an endpoint's name.
    model = str(handle.get("endpoint") or "")
    return {"app": "/".join(model.strip("/").split("/")[:2])}


def _part(value: Any) -> float | None:
    share = number(value)
    if share is None:
        return None
    return float(share)
