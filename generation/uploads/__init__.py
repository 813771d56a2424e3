"""Clips that come through a browser: an upload is a folder that fills piece by piece, is looked at,
and is then taken in as `generation.importing` takes in a manifest.
"""
