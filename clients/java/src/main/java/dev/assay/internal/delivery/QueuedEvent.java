package dev.assay.internal.delivery;

import dev.assay.internal.event.KeptEvent;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** An event with its number among all events ever queued. */
final class QueuedEvent {
    final KeptEvent event;
    final long number;

    QueuedEvent(KeptEvent event, long number) {
        this.event = event;
        this.number = number;
    }

    int bytes() {
        return event.row.length;
    }

    static List<KeptEvent> unwrap(Collection<QueuedEvent> events) {
        return events.stream().map(queued -> queued.event).collect(Collectors.toList());
    }
}
