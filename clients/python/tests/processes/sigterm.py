"""
Tracks four events, reports it, and waits for SIGTERM: sigterm.py PREVIOUS [FOLDER]; PREVIOUS is the previous
handler: "default", "exits" or "ignored".
"""

import signal
import sys
import threading

from assay import Assay

previous, folder = sys.argv[1], (sys.argv[2:] or [None])[0]


def exit_by(number, frame):
    print("previous handler", flush=True)
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
    threading.Event().wait()
