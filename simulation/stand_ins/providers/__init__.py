"""Stand-in servers: every provider's wire contract on loopback, with faults as they are asked for.
No Django here.

They sell nothing and decide nothing; the real adapters run against them unmodified, by base URL.
They keep a ledger of what they accepted, which is what the tests of exactly-once buying are judged
by.
"""

from simulation.stand_ins.providers.faults import FAULTS, Chance, Script
from simulation.stand_ins.providers.ledger import Job, Ledger
from simulation.stand_ins.providers.server import StandIn

__all__ = ["FAULTS", "Chance", "Job", "Ledger", "Script", "StandIn"]
