package dev.assay.internal.delivery;

import dev.assay.internal.Settings;
import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.log.ClientLog;
import dev.assay.internal.store.FileStore;
import dev.assay.internal.store.Journal;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Drives the delivery of events. It does not hold its lock during network, disk or log calls, except to write
 * and remove journal files: when an event is reported as settled, its file must be gone.
 */
final class DeliveryLoop {
    /** How long the end waits for a running write. */
    private static final Duration LAST_WRITE = Duration.ofSeconds(2);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final AtomicInteger nulls = new AtomicInteger();
    private final Transport transport;
    private final ClientLog log;
    private final Clock clock;
    private final Alarm alarm;
    private final Delivery delivery;
    /** What the delivery reported while the lock was held. */
    private List<Runnable> said = new ArrayList<>();
    /** Null for none. */
    private final FileStore store;
    /** Null when the client is not durable. */
    private final Journal journal;
    /** Whether events that come after the end go to the store. */
    private boolean keepsLate;

    DeliveryLoop(
            Transport transport,
            ScheduledExecutorService executor,
            Settings settings,
            FileStore store,
            LongConsumer onConfigVersion) {
        this.transport = transport;
        this.store = store;
        this.clock = settings.clock;
        this.journal = settings.durable ? store.journal() : null;
        ClientLog log = settings.log;
        this.log = log;
        this.alarm = new Alarm(executor, this::drive, log);
        DeliveryListener listener = new DeliveryListener() {
            @Override
            public void count(String reason, long count) {
                said.add(() -> log.count(reason, count));
            }

            @Override
            public void configVersion(long version) {
                said.add(() -> onConfigVersion.accept(version));
            }
        };
        this.delivery = new Delivery(
                Waits.millisOf(settings.flushInterval),
                () -> ThreadLocalRandom.current().nextDouble(),
                nulls,
                listener);
    }

    boolean add(KeptEvent event) {
        Boolean added = locked(() -> {
            if (delivery.hasEnded && keepsLate) return null;
            boolean isAdded = delivery.add(event, Alarm.now());
            if (isAdded && journal != null) note(journal.append(event, delivery.queued()));
            return isAdded;
        });
        return added == null ? keepLate(event) : added;
    }

    private boolean keepLate(KeptEvent event) {
        int notKept = uninterrupted(() -> store.keep(List.of(event)));
        log.count("event kept for later, the process ended", 1 - notKept);
        log.count("event given up, the process ended", notKept);
        return notKept == 0;
    }

    private void note(String failure) {
        if (failure != null) said.add(() -> log.count("event is not durable, " + failure));
    }

    /** Shows other processes that the files of this one are in use. */
    void touchFiles() {
        store.touch();
        if (journal != null) tell(journal::touch);
    }

    void noteNull() {
        nulls.incrementAndGet();
    }

    void noteReachable() {
        tell(delivery::noteReachable);
    }

    /** Opens the store (disk I/O) and uses it from then on. */
    void openStore() {
        if (store.open()) tell(delivery::useStore);
    }

    boolean flush(Duration timeout) {
        return waitFor(timeout, locked(delivery::flush));
    }

    Map<String, Integer> takeRejected() {
        return locked(delivery::takeRejected);
    }

    /**
     * Waits until the outcome is not null, checking it whenever something has happened; false after the
     * timeout.
     */
    boolean waitFor(Duration timeout, Supplier<Boolean> outcome) {
        long left = Waits.nanosOf(timeout);
        lock.lock();
        try {
            for (; ; ) {
                Boolean decided = outcome.get();
                if (decided != null) return decided;
                if (left <= 0) return false;
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Makes the waiting calls check their outcome again. */
    void check() {
        locked(() -> null);
    }

    /**
     * Ends sending. Remaining events go to the store or are given up.
     *
     * @param reason for the log
     * @param takesMore whether events that come later go to the store, if there is one
     * @return how many events are lost
     */
    int stop(String reason, boolean takesMore) {
        return uninterrupted(() -> stopCalmly(reason, takesMore));
    }

    /** An interrupted thread could not write a file, but this must be done regardless. */
    private static <T> T uninterrupted(Supplier<T> work) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            return work.get();
        } finally {
            if (wasInterrupted) Thread.currentThread().interrupt();
        }
    }

    private int stopCalmly(String reason, boolean takesMore) {
        tell(() -> {
            delivery.stop();
            keepsLate = takesMore && store != null;
        });
        transport.close();
        alarm.cancel();
        boolean isStoreFree = waitFor(LAST_WRITE, () -> delivery.isStoreBusy() ? null : Boolean.TRUE);
        List<KeptEvent> left = locked(delivery::takeUnsettled);
        // A new client may not have opened the store yet.
        boolean isKept = store != null && isStoreFree && store.open();
        int notKept = isKept ? store.keepLast(left) : left.size();
        int lost = journal == null ? notKept : leaveJournal(isStoreFree && notKept == 0);
        log.count("event kept for later, " + reason, left.size() - lost);
        log.count("event given up, " + reason, lost);
        return lost;
    }

    /** Ends the journal. What did not fit into the store stays in its files, so nothing is lost: returns 0. */
    private int leaveJournal(boolean isAllKept) {
        tell(() -> {
            if (isAllKept) journal.removeSettled(delivery.queued());
            else journal.giveBack();
        });
        return 0;
    }

    private void drive() {
        for (Step step = nextStep(); step != null; step = nextStep()) perform(step);
    }

    private Step nextStep() {
        return locked(() -> delivery.next(Alarm.now()));
    }

    private void perform(Step step) {
        switch (step.kind()) {
            case SEND:
                transport.postEvents(step.body()).thenAccept(answer -> answered(step, answer));
                return;
            case KEEP:
                keep(step);
                return;
            case TAKE_REPLAY:
                List<KeptEvent> taken = store.takeReplay();
                tell(() -> delivery.replayTaken(taken));
                return;
            default:
                store.release();
                tell(delivery::released);
        }
    }

    private void keep(Step step) {
        int notKept = store.keep(step.events());
        tell(() -> delivery.kept(step, notKept));
    }

    private void answered(Step step, Answer answer) {
        if (answer.asAcknowledgement().verdict() == Verdict.ACCEPT) CorrectedClock.learn(clock, answer);
        tell(() -> delivery.answered(step, answer, Alarm.now()));
    }

    private void tell(Runnable news) {
        locked(() -> {
            news.run();
            return null;
        });
    }

    private <T> T locked(Supplier<T> work) {
        List<Runnable> heard;
        T result;
        lock.lock();
        try {
            result = work.get();
            if (journal != null && !delivery.hasEnded) journal.removeSettled(delivery.firstUnsettled());
            alarm.setFor(delivery.wakeAt());
            changed.signalAll();
            heard = said;
            if (!heard.isEmpty()) said = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        if (!heard.isEmpty()) heard.forEach(Runnable::run);
        return result;
    }
}
