"""Reading and moving bits. No Django here."""


class OutOfBits(ValueError):
    """A field runs past the end of its record."""


class BitReader:
    """Reads unsigned fields, most significant bit first."""

    def __init__(self, data: bytes | memoryview, at: int = 0) -> None:
        self._value = int.from_bytes(data, "big")
        self.length = 8 * len(data)
        self.at = at

    def read(self, count: int) -> int:
        """Return the next ``count`` bits; raise OutOfBits past the end."""
        end = self.at + count
        if end > self.length:
            raise OutOfBits(f"{count} bits wanted, {self.length - self.at} left")
        self.at = end
        return (self._value >> (self.length - end)) & ((1 << count) - 1)

    def flag(self) -> bool:
        """Return the next bit."""
        return self.read(1) == 1

    def skip(self, count: int) -> None:
        """Pass over ``count`` bits."""
        self.read(count)

    def unsigned(self) -> int:
        """Return an unsigned Exp-Golomb number (ITU-T H.264 §9.1)."""
        zeros = 0
        while not self.flag():
            zeros += 1
            if zeros > 32:  # the standard's longest code
                raise OutOfBits("an Exp-Golomb code of over 32 zeros")
        return (1 << zeros) - 1 + (self.read(zeros) if zeros else 0)

    def signed(self) -> int:
        """Return a signed Exp-Golomb number (ITU-T H.264 §9.1.1)."""
        code = self.unsigned()
        return (code + 1) // 2 if code & 1 else -(code // 2)

    @property
    def left(self) -> int:
        """How many bits are left."""
        return self.length - self.at


def without_bits(data: bytes, start: int, end: int) -> bytes:
    """Return ``data`` with bits ``start`` to ``end`` taken out and zero bits added to fill the last
    byte.
    """
    total = 8 * len(data)
    value = int.from_bytes(data, "big")
    tail = total - end
    kept = ((value >> (total - start)) << tail) | (value & ((1 << tail) - 1))
    bits = start + tail
    fill = -bits % 8
    return (kept << fill).to_bytes((bits + fill) // 8, "big")
