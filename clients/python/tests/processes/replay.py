"""Sends the events in a folder: replay.py FOLDER. Ends when it reads a line."""

import sys

from assay import Assay

with Assay(offline_store=sys.argv[1]) as client:
    assert client.wait_ready(30.0)
    sys.stdin.readline()
