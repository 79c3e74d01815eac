package dev.assay.internal.delivery;

/** When and how often a request is retried. Times are in milliseconds. */
public final class RetryPolicy {
    /** How many times a batch is sent before it is kept for later or given up. */
    public static final int MAX_TRIES = 5;
    /** How long sending pauses after a refused key, or after a used-up allowance without a Retry-After. */
    public static final long PAUSE_MS = 300_000;

    private static final double FIRST_BACKOFF_MS = 1_000;
    private static final double LONGEST_BACKOFF_MS = 30_000;
    private static final long LONGEST_RETRY_AFTER_MS = 300_000;

    private RetryPolicy() {}

    /**
     * Decides what happens to a batch after an answer. A redirect is not followed and counts as no answer.
     *
     * @param status the HTTP status; 0 for no answer
     * @param reason the answer's description for the log, which ends in its problem type
     * @return the verdict
     */
    public static Verdict verdictOn(int status, String reason) {
        if (status >= 200 && status < 300) {
            return Verdict.ACCEPT;
        }
        switch (status) {
            case 413:
                return Verdict.HALVE;
            case 401:
            case 403:
                return Verdict.REFUSE;
            case 408:
                return Verdict.RETRY;
            case 429:
                return reason.endsWith("allowance-exhausted") ? Verdict.EXHAUST : Verdict.RETRY;
            default:
                return status < 400 || status >= 500 ? Verdict.RETRY : Verdict.DROP;
        }
    }

    /**
     * Computes the wait before the next try: full jitter over 1 s, 2 s, 4 s … 30 s, and at least the
     * Retry-After, up to 5 minutes.
     *
     * @param retryAfterMs the wait in Retry-After; 0 for none
     * @param tries how many requests were made so far; at least 1
     * @param random uniform in [0, 1)
     * @return milliseconds
     */
    public static long backoffMs(long retryAfterMs, int tries, double random) {
        double longest = Math.min(LONGEST_BACKOFF_MS, Math.scalb(FIRST_BACKOFF_MS, Math.min(tries - 1, 10)));
        return Math.max(Math.round(random * longest), Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS));
    }
}
