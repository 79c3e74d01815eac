package dev.assay.internal.event;

/** An event as one row of a batch, as it is queued, sent and kept. */
public final class KeptEvent {
    /** The idempotency key. */
    public final String eventId;

    /** Its own timestamp, epoch milliseconds. */
    public final long occurredAt;

    /** One JSON object in UTF-8. Must not be changed. */
    public final byte[] row;

    /** Keeps its arguments without copying them. */
    public KeptEvent(String eventId, long occurredAt, byte[] row) {
        this.eventId = eventId;
        this.occurredAt = occurredAt;
        this.row = row;
    }
}
