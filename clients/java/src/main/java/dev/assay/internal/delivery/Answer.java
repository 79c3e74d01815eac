package dev.assay.internal.delivery;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The outcome of one request. Immutable. */
public final class Answer {
    private final int status;
    private final long retryAfterMs;
    private final String etag;
    private final Map<?, ?> body;
    private final String reason;
    private final Verdict verdict;
    private long sentAtMs;
    private long answeredAtMs;
    private String date;

    private Answer(int status, long retryAfterMs, String etag, Map<?, ?> body, String reason) {
        this(status, retryAfterMs, etag, body, reason, RetryPolicy.verdictOn(status, reason));
    }

    private Answer(int status, long retryAfterMs, String etag, Map<?, ?> body, String reason, Verdict verdict) {
        this.status = status;
        this.retryAfterMs = retryAfterMs;
        this.etag = etag;
        this.body = body;
        this.reason = reason;
        this.verdict = verdict;
    }

    /**
     * Makes the outcome of a request without a response: it was refused, reset or timed out.
     *
     * @param reason why, for the log
     * @return the answer
     */
    public static Answer none(String reason) {
        return new Answer(0, 0, null, Map.of(), reason);
    }

    /**
     * Makes the outcome of a request with a response.
     *
     * @param status the HTTP status
     * @param retryAfterMs the wait in Retry-After; 0 for none
     * @param etag the ETag; null for none
     * @param json the body as JSON; anything but an object counts as an empty object
     * @return the answer
     */
    public static Answer of(int status, long retryAfterMs, String etag, Object json) {
        Map<?, ?> body = json instanceof Map ? (Map<?, ?>) json : Map.of();
        Object type = body.get("type");
        String problem = type instanceof String ? (String) type : "";
        String slug = problem.substring(problem.lastIndexOf('/') + 1);
        return new Answer(status, retryAfterMs, etag, body, ("status " + status + " " + slug).trim());
    }

    /**
     * Reads it as the answer to a batch. A success without the number of accepted rows comes from something
     * else, such as a proxy's page. It does not count as a delivery: the batch is retried.
     */
    Answer asAcknowledgement() {
        Object accepted = body.get("accepted");
        boolean isCount = accepted instanceof Long && (Long) accepted >= 0;
        if (verdict != Verdict.ACCEPT || isCount) return this;
        return new Answer(status, retryAfterMs, etag, body, reason + " without an acknowledgement", Verdict.RETRY);
    }

    /** Adds when it travelled by the system's clock, in epoch milliseconds, and its Date header. */
    Answer timed(long sentAtMs, long answeredAtMs, String date) {
        Answer timed = new Answer(status, retryAfterMs, etag, body, reason, verdict);
        timed.sentAtMs = sentAtMs;
        timed.answeredAtMs = answeredAtMs;
        timed.date = date;
        return timed;
    }

    long sentAtMs() {
        return sentAtMs;
    }

    long answeredAtMs() {
        return answeredAtMs;
    }

    /** Null when there is none. */
    String date() {
        return date;
    }

    int status() {
        return status;
    }

    long retryAfterMs() {
        return retryAfterMs;
    }

    /** Null when there is none. */
    String etag() {
        return etag;
    }

    Map<?, ?> body() {
        return body;
    }

    /** How many events the service rejected, by reason. */
    Map<String, Integer> rejections() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        Object rejected = body.get("rejected");
        for (Object row : rejected instanceof List ? (List<?>) rejected : List.of()) {
            Object detail = row instanceof Map ? ((Map<?, ?>) row).get("detail") : null;
            counts.merge(detail instanceof String ? (String) detail : "no reason", 1, Integer::sum);
        }
        return counts;
    }

    /** Describes the outcome for the log: status and problem type, or why there was no response. */
    String reason() {
        return reason;
    }

    Verdict verdict() {
        return verdict;
    }
}
