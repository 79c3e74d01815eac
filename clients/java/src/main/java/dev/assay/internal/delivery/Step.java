package dev.assay.internal.delivery;

import dev.assay.internal.event.KeptEvent;
import java.util.List;

/** A step that the delivery of events requires. */
public final class Step {
    /** The next thing to do. */
    public enum Kind {
        /** Post the body: {@link Delivery#answered} takes the answer. */
        SEND,
        /** Put the events into the store: {@link Delivery#kept} takes how many did not fit. */
        KEEP,
        /** Take events from the store: {@link Delivery#replayTaken} takes them. */
        TAKE_REPLAY,
        /** Delete the last replay, then call {@link Delivery#released}. */
        RELEASE
    }

    private final Kind kind;
    private final Batch batch;
    private final List<QueuedEvent> events;
    private final String reason;

    private Step(Kind kind, Batch batch, List<QueuedEvent> events, String reason) {
        this.kind = kind;
        this.batch = batch;
        this.events = events;
        this.reason = reason;
    }

    static Step send(Batch batch) {
        return new Step(Kind.SEND, batch, batch.events, "");
    }

    static Step keep(List<QueuedEvent> events, String reason) {
        return new Step(Kind.KEEP, null, events, reason);
    }

    static Step keep(Batch batch, String reason) {
        return new Step(Kind.KEEP, batch, batch.events, reason);
    }

    static Step of(Kind kind) {
        return new Step(kind, null, List.of(), "");
    }

    /**
     * Returns the next thing to do.
     *
     * @return the kind
     */
    public Kind kind() {
        return kind;
    }

    /**
     * Returns the body to post, building it on the first call.
     *
     * @return JSON in UTF-8
     */
    public byte[] body() {
        return batch.body();
    }

    /**
     * Returns the events to keep.
     *
     * @return oldest first
     */
    public List<KeptEvent> events() {
        return QueuedEvent.unwrap(events);
    }

    /** Null when the events come from a full queue. */
    Batch batch() {
        return batch;
    }

    List<QueuedEvent> queued() {
        return events;
    }

    String reason() {
        return reason;
    }
}
