"""From answers to standings: consensus, points or weighted scores, ranks, and the document of them.

No Django here.
"""
