"""Statistics of scoring: arrays in, estimates out. No Django here."""
