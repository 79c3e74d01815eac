package dev.assay.internal.delivery;

import dev.assay.internal.Settings;
import dev.assay.internal.config.ConfigSnapshot;
import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.store.FileStore;
import dev.assay.internal.store.KeptConfig;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The background work of a client: polls the config and delivers events on two daemon threads until the client
 * is closed or the process ends. At the end of the process, it flushes for 2 s. Then the remaining events and
 * later ones go to the store; without a store, the remaining events count as lost. A client that is never closed
 * lives as long as the process, even if nothing refers to it, so that its events arrive.
 *
 * <p>{@code HttpClient} also has its own daemon thread. It ends when the client is closed (Java 21 and later)
 * or collected (earlier versions).
 */
public final class Background {
    private static final int THREADS = 2;
    private static final Duration LAST_FLUSH = Duration.ofSeconds(2);
    /** How long the end of the process waits for a close that has begun. */
    private static final Duration LAST_CLOSE = Duration.ofSeconds(5);

    private static final long LOG_TICK_SECONDS = 10;
    private static final long TOUCH_SECONDS = 240;
    private static final AtomicInteger THREAD_NUMBER = new AtomicInteger();

    private final Settings settings;
    private final Runnable onLoad;
    private final ScheduledThreadPoolExecutor executor = makeExecutor();
    private final PollLoop polling;
    /** Null for none. */
    private final FileStore store;

    private final DeliveryLoop delivery;
    private final Thread exitHook = makeThread(this::onExit, "assay-client-exit");
    private boolean isClosing;
    private boolean hasEnded;
    /** Whether the process is ending while the client is still open. */
    private volatile boolean isExiting;
    /** The result of closing; null before. */
    private volatile Boolean outcome;

    /**
     * Starts polling, unless the client is offline. Blocks only for the disk: to read the kept config, and to
     * make the folder of a durable client.
     *
     * @param settings of the client
     * @param onLoad called whenever the service answers with a config or says that there is no newer one
     * @throws IllegalStateException only when a durable client has no folder that it can use
     */
    public Background(Settings settings, Runnable onLoad) {
        this.settings = settings;
        this.onLoad = onLoad;
        Transport transport = new HttpTransport(settings.apiKey, settings.baseUrl, executor, settings.log);
        polling = new PollLoop(transport, executor, settings, keptConfig(settings), this::noteLoaded);
        store = settings.offlineStore == null
                ? null
                : new FileStore(settings.offlineStore, settings.apiKey, settings.clock, settings.log);
        if (settings.durable && (store == null || !store.open()))
            throw new IllegalStateException("durable needs an offlineStore: a folder that this process can write to.");
        delivery = new DeliveryLoop(transport, executor, settings, store, polling::noteVersion);
        if (settings.offline) return;
        try {
            start();
        } catch (RuntimeException | Error e) {
            // No thread can be started, or the process is ending.
            settings.log.once(
                    System.Logger.Level.ERROR,
                    "the client did not start, so nothing is sent: "
                            + e.getClass().getName());
        }
    }

    /** Null without a folder. */
    private static KeptConfig keptConfig(Settings settings) {
        if (settings.offlineStore == null) return null;
        return new KeptConfig(settings.offlineStore, settings.apiKey, settings.baseUrl, settings.clock, settings.log);
    }

    private void start() {
        Runtime.getRuntime().addShutdownHook(exitHook);
        if (store != null) {
            executor.execute(delivery::openStore);
            executor.scheduleWithFixedDelay(delivery::touchFiles, TOUCH_SECONDS, TOUCH_SECONDS, TimeUnit.SECONDS);
        }
        executor.scheduleWithFixedDelay(settings.log::tick, LOG_TICK_SECONDS, LOG_TICK_SECONDS, TimeUnit.SECONDS);
        polling.start();
    }

    /**
     * Returns the current config.
     *
     * @return null until one is loaded
     */
    public ConfigSnapshot snapshot() {
        return polling.snapshot();
    }

    /**
     * Queues an event. Never waits for the network, nor for the disk unless the client is durable.
     *
     * @param event the event
     * @return false when it is refused because the queue is full or the client is closed
     */
    public boolean add(KeptEvent event) {
        boolean isAdded = delivery.add(event);
        if (isExiting) delivery.flush(Duration.ZERO);
        return isAdded;
    }

    /** Counts an assignment that was null because no config was loaded; the next batch reports it. */
    public void noteNull() {
        delivery.noteNull();
    }

    /**
     * Sends everything that was added before the call.
     *
     * @param timeout how long to wait
     * @return true once the service has answered for all of it; false when some of it was lost or went to
     *     the store, at once while sending is paused, after the timeout, or when the thread is interrupted
     */
    public boolean flush(Duration timeout) {
        return delivery.flush(timeout);
    }

    /** Returns how many events the service refused since the last call, by its reasons. */
    public Map<String, Integer> takeRejected() {
        return delivery.takeRejected();
    }

    /**
     * Waits for an outcome. Checks it again whenever a config was loaded or events were delivered.
     *
     * @param timeout how long to wait
     * @param outcome returns null while it is undecided; must not block
     * @return the outcome; false after the timeout or when the thread is interrupted
     */
    public boolean waitFor(Duration timeout, Supplier<Boolean> outcome) {
        return delivery.waitFor(timeout, outcome);
    }

    /**
     * Flushes and ends everything. Events that could not be sent before the timeout go to the store or are
     * given up.
     *
     * @param timeout how long to wait
     * @return as {@link #flush}; a second call waits for the first
     */
    public boolean close(Duration timeout) {
        boolean isSecond;
        synchronized (this) {
            isSecond = isClosing;
            isClosing = true;
        }
        if (isSecond) return delivery.waitFor(timeout, () -> outcome);
        boolean isDelivered = delivery.flush(timeout);
        end("client closed", false);
        outcome = isDelivered;
        delivery.check();
        return isDelivered;
    }

    private void noteLoaded() {
        delivery.noteReachable();
        onLoad.run();
        delivery.check();
    }

    /**
     * Other hooks run at the same time. Spring's hook stops the beans that still use the client, and then closes
     * the client. So later events are accepted too: they go to the store or, without one, are sent at once.
     */
    private void onExit() {
        boolean isBeingClosed;
        synchronized (this) {
            isBeingClosed = isClosing;
        }
        boolean isDelivered = isBeingClosed ? delivery.waitFor(LAST_CLOSE, () -> outcome) : delivery.flush(LAST_FLUSH);
        isExiting = isDelivered && !isBeingClosed && store == null;
        // Sends what was added since the flush.
        if (isExiting && delivery.flush(LAST_FLUSH)) return;
        int lost = end("the process ended", true);
        settings.log.close();
        // The JDK shuts its logging down at the same time, so this is the last chance to log it.
        if (lost > 0) System.err.println("[assay] event given up, the process ended: " + lost);
    }

    /** Returns how many events are lost; 0 when it had ended before. */
    private int end(String reason, boolean takesMore) {
        synchronized (this) {
            if (hasEnded) return 0;
            hasEnded = true;
        }
        polling.stop();
        int lost = delivery.stop(reason, takesMore);
        executor.shutdown();
        try {
            Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException e) {
            // The process is ending.
        }
        return lost;
    }

    private static ScheduledThreadPoolExecutor makeExecutor() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
                THREADS, task -> makeThread(task, "assay-client-" + THREAD_NUMBER.incrementAndGet()));
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    /**
     * Makes a daemon thread that does not keep its creator's class loader or thread locals alive.
     */
    private static Thread makeThread(Runnable task, String name) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        return thread;
    }
}
