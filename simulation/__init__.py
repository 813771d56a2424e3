"""What pretends: drawn clips, stand-in providers and judges, simulated people, the
demonstration.
"""
