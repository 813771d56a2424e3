"""What machines measure of a rollout, and what follows from people's answers about it. No Django here."""
