"""Pages of admins who commission clips."""
