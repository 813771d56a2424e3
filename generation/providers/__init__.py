"""Providers of clips, by the key that a configuration names. No Django here."""

from generation.providers.local import LocalProvider
from generation.providers.port import Commission, Delivered, Failed, Outcome, Provider, Refused

PROVIDERS: dict[str, Provider] = {"local": LocalProvider()}

__all__ = ["PROVIDERS", "Commission", "Delivered", "Failed", "Outcome", "Provider", "Refused"]
