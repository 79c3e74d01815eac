package dev.assay.internal.delivery;

/** What happens to a batch after an answer. */
public enum Verdict {
    /** The service has taken it. */
    ACCEPT,
    /** It is sent again later. */
    RETRY,
    /** It is too large and is sent in smaller parts. */
    HALVE,
    /** The key is refused: sending pauses, and the batch is kept. */
    REFUSE,
    /** The allowance is used up: sending pauses, and the batch is given up. */
    EXHAUST,
    /** It can never be sent: it is given up. */
    DROP
}
