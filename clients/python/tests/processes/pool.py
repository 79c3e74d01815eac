"""Tracks in children of multiprocessing: pool.py START_METHOD [module]; there the module makes the client"""

import multiprocessing
import sys

from assay import Assay

client = Assay() if sys.argv[2:] == ["module"] else None


def work(child):
    global client
    # Uses the inherited client after a fork; makes one where none was inherited.
    client = client or Assay()
    for i in range(30):
        client.track("business_event", {"event_id": f"{child}-{i}", "experiment_id": "x", "user_id": "u"})


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    if sys.argv[1] == "fork":
        client = Assay()
        client.wait_ready(30.0)
        client.track("business_event", {"event_id": "parent", "experiment_id": "x", "user_id": "u"})
    children = [context.Process(target=work, args=(child,)) for child in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    sys.exit(max(child.exitcode for child in children))
