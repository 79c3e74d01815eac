"""Tracks in greenlets of a process that gevent has patched."""

from gevent import monkey

monkey.patch_all()

import gevent  # noqa: E402

from assay import Assay  # noqa: E402

client = Assay(flush_interval=0.2)
assert client.wait_ready(30.0)


def work(task):
    for i in range(20):
        assert client.assign("greeting", f"{task}-{i}") == "short"
        client.track("business_event", {"event_id": f"{task}-{i}", "experiment_id": "x", "user_id": "u"})
        gevent.sleep(0)


gevent.joinall([gevent.spawn(work, task) for task in range(50)], raise_error=True)
assert client.close(10.0)
