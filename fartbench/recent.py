"""What a process read last, kept for all its threads. No Django here.

Django's own cache in memory would copy a value each time it is read; what is kept here is shared,
so nothing may change it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """At most ``most`` values by key; those that were kept first go first.

    Safe to use from many threads.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """Return the values that are kept of these keys."""
        with self._lock:
            return {key: self._values[key] for key in keys if key in self._values}

    def keep(self, values: Mapping[Key, Value]) -> None:
        """Keep these values, and let go of the oldest ones beyond the most."""
        with self._lock:
            self._values.update(values)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
