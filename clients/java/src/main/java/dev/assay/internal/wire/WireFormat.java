package dev.assay.internal.wire;

/** Reads one wire format by its shape. Pure. Unknown shapes change nothing. */
interface WireFormat {
    /**
     * Reads a whole answer or a chunk of a stream in constant memory: the response text is bounded.
     */
    void read(Object answer, Reading reading);
}
