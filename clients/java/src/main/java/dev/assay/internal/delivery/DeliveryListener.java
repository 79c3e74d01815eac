package dev.assay.internal.delivery;

/** Hears what a delivery should log or report. */
public interface DeliveryListener {
    /**
     * Hears a reason to log and how many events it applies to (possibly 0).
     *
     * @param reason the reason
     * @param count how many events
     */
    void count(String reason, long count);

    /**
     * Hears the config version of an acknowledgement.
     *
     * @param version the version
     */
    void configVersion(long version);
}
