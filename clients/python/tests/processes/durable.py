"""Tracks from two threads, reports it, and is killed: durable.py FOLDER COUNT"""

import os
import signal
import sys
import threading

from assay import Assay

folder, count = sys.argv[1], int(sys.argv[2])
client = Assay(offline_store=folder, durable=True, flush_interval=3_600)
assert client.wait_ready(30.0)


def track(thread):
    for i in range(count):
        event_id = f"{thread}-{i}"
        client.track("business_event", {"event_id": event_id, "experiment_id": "x", "user_id": "u"})


threads = [threading.Thread(target=track, args=(thread,)) for thread in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
os.kill(os.getpid(), signal.SIGKILL)
