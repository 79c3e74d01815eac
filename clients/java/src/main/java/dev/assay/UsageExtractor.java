package dev.assay;

/**
 * Reads the facts of a model call from its result: the model, the tokens, the texts.
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
public interface UsageExtractor<T> {
    /**
     * Reads a result once, after the call has returned. The time this takes is not part of the latency. If it throws,
     * the call is recorded without these facts.
     *
     * @param result what the call returned, possibly null
     * @return the facts of the call; null: none
     * @throws Exception anything
     */
    ModelCallFacts extract(T result) throws Exception;
}
