package dev.assay.internal.wire;

/** Reads one wire format by its shape. Pure, and total: unknown shapes change nothing. */
interface WireFormat {
    /**
     * Reads a whole answer or a chunk of a stream, in constant memory: the text of the response is bounded.
     */
    void read(Object answer, Reading reading);
}
