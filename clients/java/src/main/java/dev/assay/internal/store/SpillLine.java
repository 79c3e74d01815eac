package dev.assay.internal.store;

import dev.assay.internal.config.Fields;
import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.json.Json;
import dev.assay.internal.json.JsonException;
import dev.assay.internal.json.Timestamps;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A line of a spill file: an event with the version of the format. */
final class SpillLine {
    private static final byte[] START = "{\"v\":1,\"event\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "}\n".getBytes(StandardCharsets.US_ASCII);

    private SpillLine() {}

    /** The size of the event's line in bytes. */
    static int sizeOf(KeptEvent event) {
        return START.length + event.row.length + END.length;
    }

    static void write(KeptEvent event, ByteArrayOutputStream out) {
        out.writeBytes(START);
        out.writeBytes(event.row);
        out.writeBytes(END);
    }

    /** Reads a line; null when it is incomplete or of another version. */
    static KeptEvent parse(String line) {
        try {
            Map<String, Object> fields = Fields.of(Json.parse(line));
            Map<String, Object> event = Fields.of(fields.get("event"));
            Object eventId = event.get("event_id");
            Object timestamp = event.get("timestamp");
            boolean isKnown = fields.get("v") instanceof Long && (Long) fields.get("v") == 1;
            if (!isKnown || !(eventId instanceof String) || !(timestamp instanceof String)) return null;
            Long occurredAt = Timestamps.parse((String) timestamp);
            if (occurredAt == null) return null;
            byte[] row = Json.write(event).getBytes(StandardCharsets.UTF_8);
            return new KeptEvent((String) eventId, occurredAt, row);
        } catch (JsonException e) {
            return null;
        }
    }
}
