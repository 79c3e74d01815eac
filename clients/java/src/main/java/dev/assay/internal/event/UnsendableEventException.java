package dev.assay.internal.event;

/** Why an event cannot be sent. Messages are fixed texts, so they can be counted and never contain a payload. */
public final class UnsendableEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes an exception without a stack trace: it is a result, not a bug. */
    public UnsendableEventException(String reason) {
        super(reason, null, false, false);
    }
}
