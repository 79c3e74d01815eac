package dev.assay.internal.delivery;

import dev.assay.internal.event.KeptEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A bounded queue of waiting events, oldest first. Taken events count against the bounds until they
 * are released.
 */
final class EventQueue {
    static final int MAX_BATCH_EVENTS = 100;
    static final int MAX_BATCH_BYTES = 256 * 1024;
    private static final int MAX_EVENTS = 10_000;
    private static final long MAX_BYTES = 8L * 1024 * 1024;

    private final ArrayDeque<QueuedEvent> waiting = new ArrayDeque<>();
    /** Size of the waiting events. */
    private long bytes;

    private int takenEvents;
    private long takenBytes;
    /** How many events were ever queued; also the number of the next event. */
    private long queued;

    boolean hasRoomFor(KeptEvent event) {
        boolean fits = bytes + takenBytes + event.row.length <= MAX_BYTES;
        return fits && waiting.size() + takenEvents < MAX_EVENTS;
    }

    void append(KeptEvent event) {
        QueuedEvent entry = new QueuedEvent(event, queued++);
        waiting.addLast(entry);
        bytes += entry.bytes();
    }

    /** Takes the first events, at least one if there is any, up to a number of events and bytes. */
    List<QueuedEvent> take(int maxEvents, long maxBytes) {
        List<QueuedEvent> batch = cut(maxEvents, maxBytes);
        takenEvents += batch.size();
        takenBytes += sizeOf(batch);
        return batch;
    }

    /** Takes the older half of the events and frees their room. */
    List<QueuedEvent> removeOlderHalf() {
        return cut(waiting.size() / 2, bytes);
    }

    /** Puts taken events back to the front. */
    void putBack(List<QueuedEvent> batch) {
        letGo(batch);
        for (int i = batch.size() - 1; i >= 0; i--) {
            waiting.addFirst(batch.get(i));
        }
        bytes += sizeOf(batch);
    }

    /** Frees the room of taken events. */
    void letGo(List<QueuedEvent> batch) {
        takenEvents -= batch.size();
        takenBytes -= sizeOf(batch);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    boolean fillsBatch() {
        return waiting.size() >= MAX_BATCH_EVENTS || bytes >= MAX_BATCH_BYTES;
    }

    long queued() {
        return queued;
    }

    /** The number of the first waiting event; if none waits, the number of the next event. */
    long firstNumber() {
        return waiting.isEmpty() ? queued : waiting.peekFirst().number;
    }

    List<QueuedEvent> takeAll() {
        List<QueuedEvent> all = new ArrayList<>(waiting);
        waiting.clear();
        bytes = 0;
        return all;
    }

    private List<QueuedEvent> cut(int maxEvents, long maxBytes) {
        List<QueuedEvent> batch = new ArrayList<>(Math.min(maxEvents, waiting.size()));
        long size = 0;
        while (!waiting.isEmpty()) {
            size += waiting.peekFirst().bytes();
            if (!batch.isEmpty() && (batch.size() >= maxEvents || size > maxBytes)) {
                break;
            }
            batch.add(waiting.pollFirst());
        }
        bytes -= sizeOf(batch);
        return batch;
    }

    private static long sizeOf(List<QueuedEvent> events) {
        return events.stream().mapToLong(QueuedEvent::bytes).sum();
    }
}
