package dev.assay;

import java.util.Map;

/** The result of {@link AssayClient#flushReport}. */
public final class FlushReport {
    private final boolean delivered;
    private final Map<String, Integer> rejected;

    FlushReport(boolean delivered, Map<String, Integer> rejected) {
        this.delivered = delivered;
        this.rejected = rejected;
    }

    /**
     * Returns what {@link AssayClient#flush} would have returned.
     *
     * @return true once the service has answered for everything
     */
    public boolean delivered() {
        return delivered;
    }

    /**
     * Returns how many events the service has refused since the last report.
     *
     * @return counts by the service's reasons; after 100 reasons, the rest is one count
     */
    public Map<String, Integer> rejected() {
        return rejected;
    }

    @Override
    public String toString() {
        return "FlushReport[delivered=" + delivered + ", rejected=" + rejected + "]";
    }
}
