package dev.assay;

/** Rewrites the text of model calls before it leaves the process. */
@FunctionalInterface
public interface Mask {
    /** The side of a model call that a text belongs to. */
    enum Part {
        /** The prompt. */
        PROMPT,
        /** The response. */
        RESPONSE
    }

    /**
     * Returns the text to send instead. May be called from any thread.
     *
     * @param text the whole text, not yet cut to what is sent
     * @param part the side of the call that it belongs to
     * @return the text to send, or null to withhold it; if the mask throws, the text is withheld
     *     too
     */
    String mask(String text, Part part);
}
