package dev.assay.internal.delivery;

import dev.assay.internal.event.KeptEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * The delivery of events as a state machine without I/O, locks, threads or clocks. It sends one batch at a
 * time. Events that cannot be delivered go to the store, if there is one, and return to the queue when the
 * service can be reached again. Times are monotonic milliseconds. The driver calls {@link #next} until it
 * returns null, then again at {@link #wakeAt} and after each call. It reports the result of each step.
 */
public final class Delivery {
    /** The time that never comes. */
    public static final long NEVER = Long.MAX_VALUE;

    private enum BatchState {
        TO_SEND,
        SENDING,
        KEEPING
    }

    private final long flushIntervalMs;
    private final DoubleSupplier random;
    private final AtomicInteger nulls;
    private final DeliveryListener listener;

    private final EventQueue queue = new EventQueue();
    /** The batch that is being sent; null between batches. */
    private Batch batch;

    private BatchState batchState;
    private long notBefore;
    /** Events moving from the full queue to the store; null when there are none. */
    private List<QueuedEvent> moving;
    /** Events with lower numbers are due even when they do not fill a batch. */
    private long due;

    private long intervalAt = NEVER;
    /** How many events were dropped, given up or went to the store. */
    private long lost;
    /** How many lost events no later flush reports: the store has them, or an earlier flush returned false. */
    private long told;
    /** What the service refused since the last report. */
    private Rejections rejected = new Rejections();

    private boolean hasWarned;
    /** Reduced when the service refuses a batch as too large. */
    private int maxEvents = EventQueue.MAX_BATCH_EVENTS;

    private long pausedUntil = NEVER;
    private boolean isPaused;
    boolean hasEnded;

    private boolean hasStore;
    private boolean isReachable;
    /** Whether the store may have events that can be sent: an earlier process may have left some. */
    private boolean mayReplay = true;

    private boolean isReplaying;
    /** The replay ends when all events with lower numbers are settled. */
    private long replayEnd = NEVER;
    /** The store's pending commands, in order. */
    private final ArrayDeque<Step> storeSteps = new ArrayDeque<>();

    private boolean isStoreBusy;

    /**
     * Makes the delivery of a client.
     *
     * @param flushIntervalMs the longest that an event waits for its batch to fill, in milliseconds
     * @param random uniform in [0, 1)
     * @param nulls assignments that were null because no config was loaded, since the last report
     * @param listener hears what should be logged, from within the calls
     */
    public Delivery(long flushIntervalMs, DoubleSupplier random, AtomicInteger nulls, DeliveryListener listener) {
        this.flushIntervalMs = flushIntervalMs;
        this.random = random;
        this.nulls = nulls;
        this.listener = listener;
    }

    /**
     * Queues an event.
     *
     * @param event the event
     * @param now the time
     * @return false when it is refused because the queue is full or has ended
     */
    public boolean add(KeptEvent event, long now) {
        if (hasEnded) return drop("client closed");
        if (!queue.hasRoomFor(event) && !(makeRoom() && queue.hasRoomFor(event))) return drop("queue is full");
        queue.append(event);
        if (intervalAt == NEVER) intervalAt = now + flushIntervalMs;
        return true;
    }

    /**
     * Makes everything that is queued due now.
     *
     * @return a supplier: true once the service has answered for all of it; false when some of it went to the
     *     store, an event was lost since the last flush, or sending is paused; null while that is undecided
     */
    public Supplier<Boolean> flush() {
        long end = queue.queued();
        long toldBefore = told;
        if (firstUnsettled() < end) due = end;
        return () -> {
            if (firstUnsettled() < end) return isPaused || hasEnded ? Boolean.FALSE : null;
            told = lost;
            return lost == toldBefore;
        };
    }

    /**
     * Returns how many events the service refused since the last call.
     *
     * @return counts by the service's reasons; those after 100 reasons are counted together
     */
    public Map<String, Integer> takeRejected() {
        Rejections taken = rejected;
        rejected = new Rejections();
        return taken.byReason();
    }

    /** Adds a store: from now on events are kept there, and stored events are sent. */
    public void useStore() {
        hasStore = true;
        if (isReachable) wantReplay();
    }

    /** Must be called when the service answers. Events in the store are then sent again. */
    public void noteReachable() {
        isReachable = true;
        mayReplay = true;
        wantReplay();
    }

    /**
     * Returns the next thing to do. At most one request and one store step are in progress at a time.
     *
     * @param now the time
     * @return null when there is nothing to do yet
     */
    public Step next(long now) {
        if (hasEnded) return null;
        if (isPaused && now >= pausedUntil) {
            isPaused = false;
            due = queue.queued();
        }
        if (now >= intervalAt) {
            intervalAt = NEVER;
            due = queue.queued();
        }
        if (isSendDue(now)) return send();
        if (storeSteps.isEmpty() || isStoreBusy) return null;
        isStoreBusy = true;
        return storeSteps.poll();
    }

    /**
     * Returns when there may be something to do, unless something happens before.
     *
     * @return a time that may have passed already, or {@link #NEVER}
     */
    public long wakeAt() {
        if (hasEnded) return NEVER;
        if (!storeSteps.isEmpty() && !isStoreBusy) return Long.MIN_VALUE;
        if (isPaused) return Math.min(intervalAt, pausedUntil);
        if (batch != null) return batchState == BatchState.TO_SEND ? Math.min(intervalAt, notBefore) : intervalAt;
        return isBatchDue() ? Long.MIN_VALUE : intervalAt;
    }

    /**
     * Handles the answer to a batch.
     *
     * @param step the step that sent it
     * @param given the outcome
     * @param now the time
     */
    public void answered(Step step, Answer given, long now) {
        if (hasEnded || step.batch() != batch) return;
        Answer answer = given.asAcknowledgement();
        if (answer != given && !hasWarned) {
            hasWarned = true;
            listener.count("does baseUrl point to Assay? " + answer.reason(), 1);
        }
        switch (answer.verdict()) {
            case ACCEPT:
                accept(answer);
                return;
            case RETRY:
                retry(answer, now);
                return;
            case REFUSE:
                putBack();
                pause(now + RetryPolicy.PAUSE_MS);
                return;
            case HALVE:
                if (batch.events.size() > 1) {
                    maxEvents = (batch.events.size() + 1) / 2;
                    putBack();
                    return;
                }
                break;
            default:
        }
        giveUp(answer.reason());
        if (answer.verdict() == Verdict.EXHAUST) {
            pause(now + (answer.retryAfterMs() > 0 ? answer.retryAfterMs() : RetryPolicy.PAUSE_MS));
        }
    }

    /**
     * Handles the result of a step that keeps events.
     *
     * @param step the step
     * @param notKept how many of its events did not fit
     */
    public void kept(Step step, int notKept) {
        isStoreBusy = false;
        int count = step.queued().size();
        listener.count("event kept for later, " + step.reason(), count - notKept);
        listener.count("event given up, " + step.reason(), notKept);
        lost += count;
        told += count - notKept;
        mayReplay = true;
        if (step.batch() == null) moving = null;
        else settleBatch();
        releaseIfDone();
    }

    /**
     * Accepts a replay from the store.
     *
     * @param events events to send again; empty when the store has none available
     */
    public void replayTaken(List<KeptEvent> events) {
        isStoreBusy = false;
        isReplaying = !events.isEmpty();
        if (events.isEmpty()) return;
        mayReplay = true;
        for (KeptEvent event : events) queue.append(event);
        replayEnd = queue.queued();
        due = replayEnd;
    }

    /** Notes that the last replay was deleted. */
    public void released() {
        isStoreBusy = false;
        isReplaying = false;
        if (isReachable) wantReplay();
    }

    boolean isStoreBusy() {
        return isStoreBusy;
    }

    /** Ends the delivery: it takes no further events and has no further steps. */
    public void stop() {
        hasEnded = true;
    }

    /**
     * Empties the delivery.
     *
     * @return the events that are not settled, oldest first, without those that the store is working on
     */
    public List<KeptEvent> takeUnsettled() {
        List<QueuedEvent> left = new ArrayList<>();
        for (Step step : storeSteps) left.addAll(step.queued());
        if (batch != null && batchState != BatchState.KEEPING) left.addAll(batch.events);
        left.addAll(queue.takeAll());
        storeSteps.clear();
        lost += left.size();
        batch = null;
        moving = null;
        return QueuedEvent.unwrap(left);
    }

    private boolean drop(String reason) {
        listener.count("event dropped, " + reason, 1);
        lost++;
        return false;
    }

    private boolean isBatchDue() {
        return !queue.isEmpty() && (queue.firstNumber() < due || queue.fillsBatch());
    }

    private boolean isSendDue(long now) {
        if (isPaused) return false;
        if (batch != null) return batchState == BatchState.TO_SEND && now >= notBefore;
        return isBatchDue();
    }

    private Step send() {
        if (batch == null) batch = new Batch(queue.take(maxEvents, EventQueue.MAX_BATCH_BYTES), nulls.getAndSet(0));
        batchState = BatchState.SENDING;
        batch.tries++;
        return Step.send(batch);
    }

    private void accept(Answer answer) {
        maxEvents = Math.min(EventQueue.MAX_BATCH_EVENTS, maxEvents * 2);
        answer.rejections().forEach((detail, count) -> {
            listener.count("event rejected, " + detail, count);
            rejected.add(detail, count);
        });
        Object version = answer.body().get("config_version");
        if (version instanceof Number) listener.configVersion(((Number) version).longValue());
        settleBatch();
        releaseIfDone();
        isReachable = true;
        wantReplay();
    }

    private void retry(Answer answer, long now) {
        if (batch.tries < RetryPolicy.MAX_TRIES) {
            batchState = BatchState.TO_SEND;
            notBefore = now + RetryPolicy.backoffMs(answer.retryAfterMs(), batch.tries, random.getAsDouble());
            return;
        }
        nulls.addAndGet(batch.nulls);
        isReachable = false;
        String reason = answer.reason() + ", " + batch.tries + " times";
        if (hasStore) {
            batchState = BatchState.KEEPING;
            storeSteps.add(Step.keep(batch, reason));
        } else {
            giveUp(reason);
        }
    }

    private void giveUp(String reason) {
        listener.count("event given up, " + reason, batch.events.size());
        lost += batch.events.size();
        settleBatch();
        releaseIfDone();
    }

    private void settleBatch() {
        queue.letGo(batch.events);
        batch = null;
    }

    private void putBack() {
        nulls.addAndGet(batch.nulls);
        queue.putBack(batch.events);
        batch = null;
    }

    private void pause(long until) {
        isPaused = true;
        pausedUntil = until;
    }

    /** Moves the older half of a full queue to the store in one write, instead of one write per event. */
    private boolean makeRoom() {
        if (!hasStore || moving != null || queue.isEmpty()) return false;
        moving = queue.removeOlderHalf();
        storeSteps.add(Step.keep(moving, "queue is full"));
        return true;
    }

    /**
     * Takes one portion of the stored events. The next follows when it is settled, so that new events get their turn.
     */
    private void wantReplay() {
        if (!hasStore || !mayReplay || isReplaying) return;
        mayReplay = false;
        isReplaying = true;
        storeSteps.add(Step.of(Step.Kind.TAKE_REPLAY));
    }

    private void releaseIfDone() {
        if (firstUnsettled() < replayEnd) return;
        replayEnd = NEVER;
        storeSteps.add(Step.of(Step.Kind.RELEASE));
    }

    /** How many events were ever queued. */
    long queued() {
        return queue.queued();
    }

    /** The number of the first event that is not settled; if all are settled, the number of the next event. */
    long firstUnsettled() {
        long first = queue.firstNumber();
        if (batch != null) first = Math.min(first, batch.events.get(0).number);
        if (moving != null) first = Math.min(first, moving.get(0).number);
        return first;
    }
}
