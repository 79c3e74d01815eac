package dev.assay.internal.config;

import java.util.Map;

/** A variant of an experiment as the config carries it. */
public final class ConfigVariant {
    /** Its name within the experiment. */
    public final String key;

    /** The same in every config, and another one for each variant of each experiment. */
    public final String arm;

    /** False: its users get control behaviour. */
    public final boolean enabled;

    /** Null: none. */
    public final String prompt;

    /** Empty: none. Part of the config: never handed out, only copied. */
    public final Map<String, Object> variables;

    ConfigVariant(String key, String arm, boolean enabled, String prompt, Map<String, Object> variables) {
        this.key = key;
        this.arm = arm;
        this.enabled = enabled;
        this.prompt = prompt;
        this.variables = variables;
    }
}
