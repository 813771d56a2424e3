"""What machines measure of rollouts and hear in clips. Scores are made elsewhere, in `scoring`."""
