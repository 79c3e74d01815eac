package dev.assay.internal.event;

/** An event as one row of a batch: what waits, is sent and is kept. */
public final class KeptEvent {
    /** The idempotency key. */
    public final String eventId;

    /** Its own timestamp, epoch milliseconds. */
    public final long occurredAt;

    /** One JSON object in UTF-8. Nobody changes it. */
    public final byte[] row;

    /** Keeps what it is given, without a copy. */
    public KeptEvent(String eventId, long occurredAt, byte[] row) {
        this.eventId = eventId;
        this.occurredAt = occurredAt;
        this.row = row;
    }
}
