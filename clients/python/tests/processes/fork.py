"""Tracks in a parent and in its os.fork child, while a thread of the parent keeps tracking."""

import os
import threading

from assay import Assay

client = Assay()
client.wait_ready(30.0)
is_over = threading.Event()


def track(name, i):
    client.track("business_event", {"event_id": f"{name}-{i}", "experiment_id": "x", "user_id": "u"})


def track_on():
    i = 0
    while not is_over.is_set() and i < 2_000:
        track("thread", i)
        i += 1


thread = threading.Thread(target=track_on)
thread.start()
for i in range(50):
    track("parent", i)
children = []
for child in range(5):
    pid = os.fork()
    if pid == 0:
        assert client.assign("greeting", "u") == "short"
        for i in range(50):
            track(f"child{child}", i)
        assert client.flush(10.0)
        raise SystemExit(0)
    children.append(pid)
statuses = [os.waitpid(pid, 0)[1] for pid in children]
is_over.set()
thread.join()
assert client.flush(10.0)
assert statuses == [0] * 5, statuses
