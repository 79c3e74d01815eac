package dev.assay;

/** Rewrites the text of model calls before it leaves the process. */
@FunctionalInterface
public interface Mask {
    /** Which side of a model call a text is. */
    enum Part {
        /** What the model was asked. */
        PROMPT,
        /** What the model answered. */
        RESPONSE
    }

    /**
     * Returns what is sent in place of a text. May be called from any thread.
     *
     * @param text the whole text, not yet cut to what is sent
     * @param part the side of the call that it is
     * @return the text to send, or null to withhold it; a mask that throws withholds too
     */
    String mask(String text, Part part);
}
