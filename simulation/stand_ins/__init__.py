"""Servers on loopback that speak the wire contracts of providers and of judges. No Django here."""
