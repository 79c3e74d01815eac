package dev.assay.internal.delivery;

import dev.assay.internal.Settings;
import dev.assay.internal.config.ConfigSnapshot;
import dev.assay.internal.store.KeptConfig;
import java.time.Clock;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;

/** Drives config polling. */
final class PollLoop {
    private final Transport transport;
    private final Runnable onLoad;
    private final Clock clock;
    private final Alarm alarm;
    private final ConfigPolling polling;
    /** Null for none. */
    private final KeptConfig kept;

    private boolean isStopped;
    private volatile ConfigSnapshot snapshot;

    /** Makes a loop; {@link #start} starts it. {@code onLoad} is called whenever the service answers. */
    PollLoop(
            Transport transport,
            ScheduledExecutorService executor,
            Settings settings,
            KeptConfig kept,
            Runnable onLoad) {
        this.kept = kept;
        this.clock = settings.clock;
        this.transport = transport;
        this.onLoad = onLoad;
        this.alarm = new Alarm(executor, this::drive, settings.log);
        this.polling = new ConfigPolling(
                Waits.millisOf(settings.pollInterval),
                settings.longPoll,
                () -> ThreadLocalRandom.current().nextDouble(),
                settings.bootstrap,
                settings.log);
        if (kept != null && polling.snapshot() == null) polling.useKept(kept.read(), kept.ageSeconds());
        this.snapshot = polling.snapshot();
    }

    void start() {
        alarm.setFor(0);
    }

    /** The current config; null until one is loaded. */
    ConfigSnapshot snapshot() {
        return snapshot;
    }

    synchronized void noteVersion(long version) {
        polling.noteVersion(version, Alarm.now());
        alarm.setFor(polling.wakeAt());
    }

    synchronized void stop() {
        isStopped = true;
        alarm.cancel();
    }

    private void drive() {
        String etag;
        int waitSeconds;
        synchronized (this) {
            if (isStopped) return;
            if (!polling.start(Alarm.now())) {
                alarm.setFor(polling.wakeAt());
                return;
            }
            etag = polling.etag();
            waitSeconds = polling.waitSeconds();
        }
        transport.getConfig(etag, waitSeconds).thenAccept(this::answered);
    }

    private void answered(Answer answer) {
        synchronized (this) {
            if (isStopped) return;
            boolean isLoaded = polling.answered(answer, Alarm.now());
            // Must happen before the client counts as ready.
            if (isLoaded) CorrectedClock.learn(clock, answer);
            snapshot = polling.snapshot();
            alarm.setFor(polling.wakeAt());
            if (!isLoaded) return;
        }
        onLoad.run();
        if (kept != null) kept.keep(snapshot.body);
    }
}
