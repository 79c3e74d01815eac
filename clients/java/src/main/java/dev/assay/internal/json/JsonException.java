package dev.assay.internal.json;

/**
 * Why a text is no JSON, or a value cannot be written as JSON. The message is fixed: it never holds
 * what was read.
 */
public final class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes one without a stack trace: it is an answer, not a bug. */
    public JsonException(String reason) {
        super(reason, null, false, false);
    }
}
