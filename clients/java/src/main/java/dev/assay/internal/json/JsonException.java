package dev.assay.internal.json;

/**
 * Why a text is not JSON, or a value cannot be written as JSON. The message is fixed and never
 * contains the input.
 */
public final class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes an exception without a stack trace: it is a result, not a bug. */
    public JsonException(String reason) {
        super(reason, null, false, false);
    }
}
