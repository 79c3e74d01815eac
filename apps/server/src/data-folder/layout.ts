/** What a data folder contains in addition to keys: SQLite's file, the event engine's folder and the queue's. */
export const CONTROL_FILE = "control.sqlite";
export const EVENTS_FOLDER = "events";
export const QUEUE_FOLDER = "queue";
