"""Protocols as data: the schema of a protocol file, its loader and digest, and the rules it states.

No Django here.
"""

from fartbench.protocol.digest import canonical_bytes, digest_of
from fartbench.protocol.form import AllowedAnswer, Form, Violation, form_for, form_keys
from fartbench.protocol.judges import JudgeModel, Judges
from fartbench.protocol.loader import ProtocolError, ProtocolFile, load_protocol, parse_protocol
from fartbench.protocol.pairs import PairAnswer, PairQuestion, Pairs
from fartbench.protocol.questions import AnswerSet, Consistency, Option, Question
from fartbench.protocol.response import Response, ResponseError
from fartbench.protocol.schema import Protocol, Scene

__all__ = [
    "AllowedAnswer",
    "AnswerSet",
    "Consistency",
    "Form",
    "JudgeModel",
    "Judges",
    "Option",
    "PairAnswer",
    "PairQuestion",
    "Pairs",
    "Protocol",
    "ProtocolError",
    "ProtocolFile",
    "Question",
    "Response",
    "ResponseError",
    "Scene",
    "Violation",
    "canonical_bytes",
    "digest_of",
    "form_for",
    "form_keys",
    "load_protocol",
    "parse_protocol",
]
