package dev.assay.internal.config;

/** A user's assignment in an experiment. */
public final class Assignment {
    /** Canonical. */
    public final String experimentId;

    /** The user's variant. */
    public final ConfigVariant variant;

    /** What the experiment assigns instead of users; null: users. */
    public final String unit;

    /** Makes an assignment. */
    public Assignment(String experimentId, ConfigVariant variant, String unit) {
        this.experimentId = experimentId;
        this.variant = variant;
        this.unit = unit;
    }
}
