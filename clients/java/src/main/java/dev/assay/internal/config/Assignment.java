package dev.assay.internal.config;

/** A user's assignment in an experiment. */
public final class Assignment {
    /** Canonical. */
    public final String experimentId;

    /** The user's variant. */
    public final ConfigVariant variant;

    /** Pairs the two. */
    public Assignment(String experimentId, ConfigVariant variant) {
        this.experimentId = experimentId;
        this.variant = variant;
    }
}
