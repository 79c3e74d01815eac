package dev.assay.internal.delivery;

/** Receives what a delivery should log or report. */
public interface DeliveryListener {
    /**
     * Receives a reason to log and how many events it applies to (possibly 0).
     *
     * @param reason the reason
     * @param count how many events
     */
    void count(String reason, long count);

    /**
     * Receives the config version of an acknowledgement.
     *
     * @param version the version
     */
    void configVersion(long version);
}
