"""What blind pairs say: votes as records, the report of strengths and ties, and battles in the form of FastChat."""
