package dev.assay.internal.config;

/** A user's place in an experiment. */
public final class Assignment {
    /** Canonical. */
    public final String experimentId;

    /** The user's. */
    public final ConfigVariant variant;

    /** Pairs the two. */
    public Assignment(String experimentId, ConfigVariant variant) {
        this.experimentId = experimentId;
        this.variant = variant;
    }
}
