"""What an operation asks of a call: a token with a scope, of an account with a role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest
from ninja import Router
from ninja.security import HttpBearer

from api.errors import NotAllowed, NotThere, Unauthorised
from api.models import Token
from api.scopes import Role, Scope
from api.tokens import is_role
from fartbench.models import Round

# The problem document of a refusal (RFC 9457), as `api.problems` makes it.
REFUSED: dict[str, Any] = {
    "description": "A refusal, which changed nothing",
    "content": {
        "application/problem+json": {
            "schema": {
                "type": "object",
                "required": ["type", "title", "status", "detail", "instance"],
                "properties": {
                    "type": {"type": "string"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                    "instance": {"type": "string"},
                    "errors": {"type": "array", "items": {"type": "object"}},
                    "received": {"type": "integer"},
                    "due_step": {"type": "object"},
                },
            }
        }
    },
}
CallT = TypeVar("CallT", bound=Callable[..., Any])


class Needs(HttpBearer):
    """Lets in a token with a scope, whose account still has the role."""

    def __init__(self, scope: Scope | None, role: Role) -> None:
        super().__init__()
        self.scope, self.role = scope, role

    def __call__(self, request: HttpRequest) -> Token:
        """Return the token of the call. Raises Unauthorised and NotAllowed."""
        token: Token | None = getattr(request, "token", None)
        if token is None:
            raise Unauthorised("Send a token as “Authorization: Bearer fbk_…”.")
        if self.scope is not None and self.scope not in token.scopes:
            raise NotAllowed(f"This token does not have the scope “{self.scope}”.")
        if not is_role(token.user, self.role):
            raise NotAllowed("Only an admin can do this: an account that may change rounds.")
        return token

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        """Not called: the token was found before."""
        raise NotImplementedError


def operation(
    router: Router,
    method: str,
    path: str,
    *,
    scope: Scope | None,
    role: Role = Role.STAFF,
    **more: Any,
) -> Callable[[CallT], CallT]:
    """Return what makes a function an operation for tokens with a scope, of accounts with a role.

    The function's name is the operation's id, and its first line what the document says of it.
    """

    def decorate(call: CallT) -> CallT:
        words = (call.__doc__ or "").strip().split("\n")[0]
        extra = {
            "x-scope": scope.value if scope else "",
            "x-role": role.value,
            "responses": {"4XX": REFUSED},
        }
        add = router.api_operation(
            [method],
            path,
            auth=Needs(scope, role),
            operation_id=call.__name__,
            summary=words,
            openapi_extra=extra,
            **more,
        )
        added: CallT = add(call)
        return added

    return decorate


def token_of(request: HttpRequest) -> Token:
    """Return the token of a call that was let in."""
    token: Token = request.token  # type: ignore[attr-defined]
    return token


def round_of(request: HttpRequest, name: str) -> Round:
    """Return a round that the token may know of. Raises NotThere."""
    token = token_of(request)
    found = Round.objects.select_related("protocol").filter(name=name).first()
    if found is None or (token.rounds and name not in token.rounds):
        raise NotThere(f"There is no round {name!r} for this token.")
    return found
