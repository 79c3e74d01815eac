"""Ends while a request for the config waits for a change: waits.py HOW"""

import sys
import time

from assay import Assay

client = Assay(long_poll=True)
assert client.wait_ready(30.0)
while not client._background._polling.is_waiting:  # type: ignore[union-attr]
    time.sleep(0.01)
client.track("business_event", {"event_id": "e", "experiment_id": "x", "user_id": "u"})
if sys.argv[1] == "close":
    client.close()
