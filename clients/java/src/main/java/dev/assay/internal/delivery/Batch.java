package dev.assay.internal.delivery;

import dev.assay.internal.event.KeptEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Events that travel together. The body, and so the event ids, are the same on each try. */
final class Batch {
    final List<QueuedEvent> events;
    /**
     * Assignments that returned null because no config was loaded yet; this batch reports them.
     */
    final int nulls;
    /** How many times it was sent. */
    int tries;

    private byte[] body;

    Batch(List<QueuedEvent> events, int nulls) {
        this.events = events;
        this.nulls = nulls;
    }

    /** Builds the body once. Only the sending thread calls this, so no lock is held while it runs. */
    byte[] body() {
        if (body == null) {
            body = build();
        }
        return body;
    }

    private byte[] build() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
        out.writeBytes(ascii("{\"events\":["));
        for (int i = 0; i < events.size(); i++) {
            if (i > 0) {
                out.write(',');
            }
            out.writeBytes(events.get(i).event.row);
        }
        out.writeBytes(ascii(nulls > 0 ? "],\"client\":{\"null_before_ready\":" + nulls + "}}" : "]}"));
        return out.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    List<KeptEvent> kept() {
        return QueuedEvent.unwrap(events);
    }
}
