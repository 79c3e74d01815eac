"""A WSGI application that tracks its requests."""

from assay import Assay

client = Assay(flush_interval=3_600)


def application(environ, start_response):
    name = environ["PATH_INFO"].strip("/")
    client.track("business_event", {"event_id": name, "experiment_id": "x", "user_id": "u"})
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"tracked"]
