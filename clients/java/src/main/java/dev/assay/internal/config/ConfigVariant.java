package dev.assay.internal.config;

import java.util.Map;

/** A variant of an experiment in the config. */
public final class ConfigVariant {
    /** Its name within the experiment. */
    public final String key;

    /** Stable over configs, and unique to each variant of each experiment. */
    public final String arm;

    /** False: its users get control behavior. */
    public final boolean enabled;

    /** The experiment has ended and everybody gets this variant, so it needs no exposures. */
    public final boolean shipped;

    /** Null: none. */
    public final String prompt;

    /** Empty: none. Part of the config: callers only get copies. */
    public final Map<String, Object> variables;

    ConfigVariant(
            String key, String arm, boolean enabled, boolean shipped, String prompt, Map<String, Object> variables) {
        this.key = key;
        this.arm = arm;
        this.enabled = enabled;
        this.shipped = shipped;
        this.prompt = prompt;
        this.variables = variables;
    }
}
