package dev.assay.internal.delivery;

/** Hears what is worth saying of a delivery. */
public interface DeliveryListener {
    /**
     * Hears a reason for the log and of how many events it holds, 0 included.
     *
     * @param reason the reason
     * @param count how many events
     */
    void count(String reason, long count);

    /**
     * Hears the config version that an acknowledgement names.
     *
     * @param version the version
     */
    void configVersion(long version);
}
