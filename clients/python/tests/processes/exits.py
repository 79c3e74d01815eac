"""Tracks events and ends: exits.py HOW COUNT [FOLDER]"""

import os
import signal
import sys

from assay import Assay

how, count, folder = sys.argv[1], int(sys.argv[2]), (sys.argv[3:] or [None])[0]
client = Assay(offline_store=folder)
client.wait_ready(2.0)
for i in range(count):
    client.track("business_event", {"event_id": f"{how}-{i}", "experiment_id": "x", "user_id": "u"})
if how == "sys_exit":
    sys.exit(3)
if how == "error":
    raise RuntimeError("nobody caught this")
if how == "os_exit":
    os._exit(0)
if how == "fork" and os.fork() == 0:
    sys.exit(0)  # a child that does not use the client
if how == "fork":
    os.wait()
if how == "close":
    client.close()
    client.track("business_event", {"event_id": "late", "experiment_id": "x", "user_id": "u"})
if how == "flush_kill":
    client.flush(30.0)
    os.kill(os.getpid(), signal.SIGKILL)
