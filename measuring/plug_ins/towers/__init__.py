"""Models in PyTorch that take published weights as they come; imported when a plug-in is loaded.

No Django here.
"""
