package dev.assay.internal.event;

/**
 * Why an event cannot be sent; the message is fixed, so that it can be counted and never holds a
 * payload.
 */
public final class UnsendableEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes one without a stack trace: it is an answer, not a bug. */
    public UnsendableEventException(String reason) {
        super(reason, null, false, false);
    }
}
