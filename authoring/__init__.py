"""Scenarios of rollouts made and checked: their material, the counts they must have, the claims
they must hold.
"""
