package dev.assay;

import java.util.List;
import java.util.Map;

/** The result of {@link AssayClient#getVariablesDetail}. */
public final class VariablesChoice {
    private final String variant;
    private final Map<String, Object> variables;
    private final List<String> fallback;

    VariablesChoice(String variant, Map<String, Object> variables, List<String> fallback) {
        this.variant = variant;
        this.variables = variables;
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
     * Returns the variables to use.
     *
     * @return a new map, owned by the caller
     */
    public Map<String, Object> variables() {
        return variables;
    }

    /**
     * Returns which variables have the caller's defaults.
     *
     * @return their names, in their order
     */
    public List<String> fallback() {
        return fallback;
    }

    @Override
    public String toString() {
        return "VariablesChoice[variant=" + variant + ", fallback=" + fallback + "]";
    }
}
