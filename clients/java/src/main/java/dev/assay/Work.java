package dev.assay;

/**
 * Code to run, with its own result and exception.
 *
 * @param <T> what it returns
 * @param <E> what it throws; for code without checked exceptions, {@code RuntimeException} is inferred
 */
@FunctionalInterface
public interface Work<T, E extends Exception> {
    /**
     * Runs the code.
     *
     * @return its result
     * @throws E its exception
     */
    T run() throws E;
}
