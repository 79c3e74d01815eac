package dev.assay.internal.delivery;

import java.util.concurrent.CompletableFuture;

/**
 * Makes requests to the service. Each ends within 10 s, not counting a wait for a change, with an answer or
 * with the reason why there is none.
 */
public interface Transport {
    /**
     * Posts events. Never throws, and the future never fails.
     *
     * @param body the JSON text in UTF-8
     * @return the outcome
     */
    CompletableFuture<Answer> postEvents(byte[] body);

    /**
     * Requests the config. Never throws, and the future never fails.
     *
     * @param etag of the known config; null for none
     * @param waitSeconds how long the service may wait for another config before it answers; extends the
     *     request's time limit
     * @return the outcome
     */
    CompletableFuture<Answer> getConfig(String etag, int waitSeconds);

    /** Aborts running requests and makes no further ones. */
    void close();
}
