"""The services that judges answer through: one port, and an adapter for each. No Django here."""
