"""A Celery application that tracks its tasks. Its broker is the folder ASSAY_TEST_BROKER."""

import os

from celery import Celery

from assay import Assay

folder = os.environ["ASSAY_TEST_BROKER"]
transport = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": f"{folder}/control"}
app = Celery("celery_app", broker="filesystem://")
app.conf.broker_transport_options = transport
app.conf.worker_hijack_root_logger = False
client = Assay(flush_interval=3_600)


@app.task
def track(name):
    client.track("business_event", {"event_id": name, "experiment_id": "x", "user_id": "u"})
    # The folder tells the test that the task has run.
    open(f"{folder}/{name}.done", "w").close()
