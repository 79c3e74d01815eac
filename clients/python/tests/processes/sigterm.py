"""
Tracks four events, reports it, and waits for SIGTERM: sigterm.py PREVIOUS [FOLDER]; PREVIOUS is the previous
handler: "default", "exits" or "ignored".
"""

import os
import signal
import sys
import time

from assay import Assay

previous, folder = sys.argv[1], (sys.argv[2:] or [None])[0]


def exit_by(number, frame):
    # Not print, which may be what the signal interrupts.
    os.write(1, b"previous handler\n")
    sys.exit(5)


handlers = {"default": signal.SIG_DFL, "exits": exit_by, "ignored": signal.SIG_IGN}
signal.signal(signal.SIGTERM, handlers[previous])
client = Assay(flush_interval=3_600, offline_store=folder, flush_on_sigterm=True)
client.wait_ready(30.0)
for i in range(4):
    client.track("business_event", {"event_id": f"sigterm-{i}", "experiment_id": "x", "user_id": "u"})
print("tracked", flush=True)
if previous == "ignored":
    sys.stdin.readline()
else:
    # Not one endless wait: Python would not notice a signal that comes just before it.
    while True:
        time.sleep(0.02)
