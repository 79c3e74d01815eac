package dev.assay.internal.delivery;

import dev.assay.internal.log.ClientLog;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs a task at the earliest time that was asked for; however the task ends, the next alarm comes.
 * Thread-safe.
 */
final class Alarm {
    private static final long RECOVERY_MS = 1_000;
    private static final long ORIGIN = System.nanoTime();

    private final ScheduledExecutorService executor;
    private final Runnable task;
    private final ClientLog log;
    private long at = Delivery.NEVER;
    private ScheduledFuture<?> pending;
    private boolean isCancelled;

    Alarm(ScheduledExecutorService executor, Runnable task, ClientLog log) {
        this.executor = executor;
        this.task = task;
        this.log = log;
    }

    /** The time that everything here is measured in: monotonic milliseconds, from 0 on. */
    static long now() {
        return (System.nanoTime() - ORIGIN) / 1_000_000;
    }

    /** Asks for the task at a time, unless it comes earlier anyway. */
    synchronized void setFor(long time) {
        if (isCancelled || time >= at) return;
        if (pending != null) pending.cancel(false);
        at = time;
        long delayMs = time <= 0 ? 0 : Math.max(0, time - now());
        pending = executor.schedule(this::fire, delayMs, TimeUnit.MILLISECONDS);
    }

    /** Ends it: the task runs no more, lest it keep the executor alive. */
    synchronized void cancel() {
        isCancelled = true;
        if (pending != null) pending.cancel(false);
    }

    private void fire() {
        synchronized (this) {
            at = Delivery.NEVER;
            pending = null;
        }
        try {
            task.run();
        } catch (Throwable e) {
            log.once(
                    System.Logger.Level.ERROR,
                    "background task fails, " + e.getClass().getName());
            setFor(now() + RECOVERY_MS);
        }
    }
}
