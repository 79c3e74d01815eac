package dev.assay;

import java.util.Objects;

/** The result of {@link AssayClient#getPrompt}. */
public final class PromptChoice {
    private final String variant;
    private final String prompt;
    private final boolean fallback;

    PromptChoice(String variant, String prompt, boolean fallback) {
        this.variant = variant;
        this.prompt = prompt;
        this.fallback = fallback;
    }

    /**
     * Returns the key of the user's variant.
     *
     * @return the key, or null for control behavior
     */
    public String variant() {
        return variant;
    }

    /**
     * Returns the prompt to use.
     *
     * @return the variant's prompt, or the caller's default
     */
    public String prompt() {
        return prompt;
    }

    /**
     * Returns whether the prompt is the caller's default.
     *
     * @return true when it is
     */
    public boolean fallback() {
        return fallback;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof PromptChoice)) return false;
        PromptChoice that = (PromptChoice) other;
        return fallback == that.fallback
                && Objects.equals(variant, that.variant)
                && Objects.equals(prompt, that.prompt);
    }

    @Override
    public int hashCode() {
        return Objects.hash(variant, prompt, fallback);
    }

    @Override
    public String toString() {
        return "PromptChoice[variant=" + variant + ", fallback=" + fallback + "]";
    }
}
