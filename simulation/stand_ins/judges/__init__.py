"""Stand-in judges: the wire contracts of the judges' services on loopback, with scripted behaviour.
No Django here.

They look at nothing: what is right about a clip they are given, by the SHA-256 of its bytes. The
real adapters run against them unmodified, by base URL, and a ledger says what they were asked.
"""

from simulation.stand_ins.judges.behaviours import BEHAVIOURS, Question, Said
from simulation.stand_ins.judges.server import StandInJudges

__all__ = ["BEHAVIOURS", "Question", "Said", "StandInJudges"]
