"""The demonstration: rounds of clips that the built-in provider draws, scripted reviewers and
judges, a server.
"""
