package dev.assay.frameworks;

/** A framework of the matrix. */
interface Framework extends AutoCloseable {
    /** Returns its name with the tested version. */
    String title();

    /**
     * Makes the calls of a case, as an application would.
     *
     * @return false when the framework does not offer the case
     */
    boolean run(String name, String prompt) throws Exception;

    @Override
    default void close() {}
}
