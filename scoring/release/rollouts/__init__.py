"""What a release says of rollouts: tables, plots, page documents, and reading them back.

No Django here.
"""
