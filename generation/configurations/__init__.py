"""Configurations as data: what a file may say, and how one is read. No Django here."""

from generation.configurations.loader import (
    ConfigurationError,
    parse_configuration,
    read_configurations,
)
from generation.configurations.money import Cost, cost_of, estimate
from generation.configurations.schema import ConfigurationFile, PriceRule

__all__ = [
    "ConfigurationError",
    "ConfigurationFile",
    "Cost",
    "PriceRule",
    "cost_of",
    "estimate",
    "parse_configuration",
    "read_configurations",
]
