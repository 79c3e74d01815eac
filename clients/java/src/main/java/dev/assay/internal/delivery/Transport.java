package dev.assay.internal.delivery;

import java.util.concurrent.CompletableFuture;

/**
 * Makes requests to the service, each of which has an answer, if only that there was none, after 10 s at
 * most.
 */
public interface Transport {
    /**
     * Posts events. Never throws, and the future never fails.
     *
     * @param body the JSON text in UTF-8
     * @return what came of it
     */
    CompletableFuture<Answer> postEvents(byte[] body);

    /**
     * Asks for the config. Never throws, and the future never fails.
     *
     * @param etag of the config that is known, null for none
     * @return what came of it
     */
    CompletableFuture<Answer> getConfig(String etag);

    /** Breaks off what is under way and makes no further request. */
    void close();
}
