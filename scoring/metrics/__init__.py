"""The metrics of rollouts: from answers and measurements to one value a case, then to columns.

No Django here.
"""
