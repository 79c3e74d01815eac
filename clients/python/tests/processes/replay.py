"""Sends what a folder holds: replay.py FOLDER. Ends when a line comes in."""

import sys

from assay import Assay

with Assay(offline_store=sys.argv[1]) as client:
    assert client.wait_ready(30.0)
    sys.stdin.readline()
