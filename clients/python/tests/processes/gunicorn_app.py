"""A web application that is loaded before the workers are forked."""

import os

from assay import Assay

client = Assay(flush_interval=0.2)
client.wait_ready(30.0)
client.track("business_event", {"event_id": f"master-{os.getpid()}", "experiment_id": "x", "user_id": "u"})


def application(environ, start_response):
    name = environ["PATH_INFO"].strip("/")
    variant = client.assign("greeting", name)
    client.track("business_event", {"event_id": name, "experiment_id": "x", "user_id": "u"})
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{os.getpid()} {variant}".encode()]
