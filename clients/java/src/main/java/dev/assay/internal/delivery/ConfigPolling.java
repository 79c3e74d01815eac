package dev.assay.internal.delivery;

import dev.assay.internal.config.ConfigSnapshot;
import dev.assay.internal.log.ClientLog;
import java.util.function.DoubleSupplier;

/**
 * Config polling as a state machine without I/O, locks, threads or clocks. Times are monotonic milliseconds
 * from 0 on. It keeps the last config loaded.
 */
public final class ConfigPolling {
    /** Spreads the requests of clients that all learn of a change at the same time. */
    private static final double REFRESH_SPREAD_MS = 2_000;

    /**
     * How long the service waits before it answers 304. Many proxies close a connection after a minute without
     * traffic.
     */
    private static final int WAIT_SECONDS = 30;

    /** Spreads the requests of clients that were all answered at the same time. */
    private static final double WAIT_SPREAD_MS = 1_000;

    /** An answer that took this long shows that the service waited. Otherwise the request would have timed out. */
    private static final long WAITED_MS = 10_000;

    private final long intervalMs;
    private final boolean longPoll;
    private final DoubleSupplier random;
    private final ClientLog log;
    private ConfigSnapshot snapshot;
    private String etag;
    /** The warning to log when the next poll fails; null for none. */
    private String warning;

    private int failures;
    private boolean isLoading;
    private long nextAt;
    private long beganAt;
    /** The version of the service's last config. */
    private long version = Long.MIN_VALUE;

    /**
     * Makes a poller whose first poll is due at once.
     *
     * @param intervalMs between polls, in milliseconds; each varies by 10%
     * @param longPoll whether requests wait for a change once there is an ETag
     * @param random uniform in [0, 1)
     * @param bootstrap a config to start with, as {@code GET /v1/config} returns it, or null
     * @param log where failures are counted
     */
    public ConfigPolling(long intervalMs, boolean longPoll, DoubleSupplier random, Object bootstrap, ClientLog log) {
        this.intervalMs = intervalMs;
        this.longPoll = longPoll;
        this.random = random;
        this.log = log;
        this.snapshot = bootstrap == null ? null : ConfigSnapshot.parse(bootstrap);
        boolean isUnreadable = bootstrap != null && snapshot == null;
        if (isUnreadable) log.once(System.Logger.Level.ERROR, "bootstrap is invalid");
    }

    /**
     * Accepts the config that an earlier process kept.
     *
     * @param kept the config; null for none
     * @param ageSeconds how old it is
     */
    public void useKept(ConfigSnapshot kept, long ageSeconds) {
        if (kept == null) return;
        snapshot = kept;
        warning = "kept config in use, " + ageSeconds + " s old";
        log.count("unreadable experiment", kept.unreadable);
    }

    /**
     * Returns whether to ask for the config now, with {@link #etag} and {@link #waitSeconds}. If so, {@link
     * #answered} must follow.
     *
     * @param now the time
     * @return whether to ask
     */
    public boolean start(long now) {
        if (isLoading || now < nextAt) return false;
        isLoading = true;
        beganAt = now;
        return true;
    }

    /**
     * Handles the answer to a poll.
     *
     * @param answer the answer
     * @param now the time
     * @return whether the service answered with a config or said that there is no newer one
     */
    public boolean answered(Answer answer, long now) {
        isLoading = false;
        ConfigSnapshot loaded = null;
        if (answer.status() == 304) loaded = snapshot;
        if (answer.status() == 200) loaded = ConfigSnapshot.parse(answer.body());
        if (loaded == null) noteFailure(answer);
        else if (loaded != snapshot) take(loaded, answer);
        boolean isRefused = answer.verdict() == Verdict.REFUSE;
        nextAt = now + (isRefused ? RetryPolicy.PAUSE_MS : pauseMs(answer, loaded, now - beganAt));
        if (loaded != null) failures = 0;
        return loaded != null;
    }

    private void noteFailure(Answer answer) {
        failures++;
        if (warning != null) log.once(System.Logger.Level.WARNING, warning);
        warning = null;
        if (answer.verdict() != Verdict.REFUSE) log.count("config not loaded, " + answer.reason());
    }

    private void take(ConfigSnapshot loaded, Answer answer) {
        snapshot = loaded;
        warning = null;
        etag = answer.etag();
        log.count("unreadable experiment", loaded.unreadable);
    }

    private long pauseMs(Answer answer, ConfigSnapshot loaded, long tookMs) {
        if (!longPoll) return waitMs(answer, loaded == null);
        if (loaded == null) return RetryPolicy.backoffMs(answer.retryAfterMs(), failures, random.getAsDouble());
        boolean isNewer = loaded.version > version;
        version = loaded.version;
        // Otherwise a server that answers at once without a newer config would be polled without a pause.
        if (etag == null || !(isNewer || tookMs >= WAITED_MS)) return waitMs(answer, false);
        boolean hasWaited = answer.status() == 304 && tookMs >= 1_000 * WAIT_SECONDS;
        return hasWaited ? 0 : Math.round(random.getAsDouble() * WAIT_SPREAD_MS);
    }

    /**
     * Without a config, a failed poll is retried soon. With one, only Retry-After can delay the next poll.
     */
    private long waitMs(Answer answer, boolean hasFailed) {
        boolean hasConfig = snapshot != null;
        long interval = hasConfig ? Math.round(intervalMs * (0.9 + 0.2 * random.getAsDouble())) : 0;
        if (!hasFailed) return interval;
        double jitter = hasConfig ? 0 : random.getAsDouble();
        return Math.max(interval, RetryPolicy.backoffMs(answer.retryAfterMs(), failures, jitter));
    }

    /**
     * Handles the {@code config_version} of an acknowledgement. A newer version triggers an earlier poll.
     *
     * @param version the version
     * @param now the time
     */
    public void noteVersion(long version, long now) {
        boolean isDueSoon = isLoading || nextAt - now <= REFRESH_SPREAD_MS;
        if (snapshot == null || version <= snapshot.version || isDueSoon) return;
        nextAt = now + Math.round(random.getAsDouble() * REFRESH_SPREAD_MS);
    }

    /**
     * Returns when to ask next.
     *
     * @return a time that may have passed already, or {@link Delivery#NEVER} while an answer is due
     */
    public long wakeAt() {
        return isLoading ? Delivery.NEVER : nextAt;
    }

    /**
     * Returns the current config.
     *
     * @return null until one is loaded
     */
    public ConfigSnapshot snapshot() {
        return snapshot;
    }

    /**
     * Returns the ETag to send.
     *
     * @return null for none
     */
    public String etag() {
        return etag;
    }

    /**
     * Returns how many seconds the service may wait for a config with a different ETag.
     *
     * @return 0 for not at all
     */
    public int waitSeconds() {
        return longPoll && etag != null ? WAIT_SECONDS : 0;
    }
}
