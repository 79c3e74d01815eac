package dev.assay;

/**
 * Reads the facts of a model call from its result: the model, the tokens, the texts.
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
public interface UsageExtractor<T> {
    /**
     * Reads a result, once, after the call has returned; its time is not part of the latency. What it throws
     * reaches nobody: the call is then recorded without these facts.
     *
     * @param result what the call returned, null too
     * @return what is known of the call; null: nothing
     * @throws Exception whatever it likes
     */
    ModelCallFacts extract(T result) throws Exception;
}
