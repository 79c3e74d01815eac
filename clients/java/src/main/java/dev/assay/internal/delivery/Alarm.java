package dev.assay.internal.delivery;

import dev.assay.internal.log.ClientLog;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs a task at the earliest requested time. A task that fails does not stop later alarms.
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

    /** The current time in monotonic milliseconds, from 0 on. */
    static long now() {
        return (System.nanoTime() - ORIGIN) / 1_000_000;
    }

    /** Requests a run at this time, unless an earlier one is planned. */
    synchronized void setFor(long time) {
        if (isCancelled || time >= at) return;
        if (pending != null) pending.cancel(false);
        at = time;
        long delayMs = time <= 0 ? 0 : Math.max(0, time - now());
        pending = executor.schedule(this::fire, delayMs, TimeUnit.MILLISECONDS);
    }

    /** Ends the alarm: the task does not run again and cannot keep the executor alive. */
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
                    "background task failed, " + e.getClass().getName());
            setFor(now() + RECOVERY_MS);
        }
    }
}
