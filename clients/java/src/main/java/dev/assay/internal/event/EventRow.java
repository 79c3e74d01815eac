package dev.assay.internal.event;

import dev.assay.internal.json.Json;
import dev.assay.internal.json.JsonException;
import dev.assay.internal.json.Timestamps;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Turns the arguments of {@code track} into rows. */
public final class EventRow {
    private static final Set<String> TYPES = Set.of("exposure", "model_call", "tool_call", "run_end", "business_event");

    /** Prompt and response may be 256 KiB each before JSON escapes them. */
    private static final int MAX_BYTES = 1024 * 1024;

    private static final int LONGEST_EVENT_ID = 128;

    private EventRow() {}

    /**
     * Serializes an event as one row of a batch, so that later changes of the payload do not affect it.
     *
     * @param type one of the kinds of event; any other is refused
     * @param payload the caller's fields, read once
     * @param nowMs the time of the event if the payload has none, in epoch milliseconds
     * @param newId makes the event id if the payload has none
     * @throws UnsendableEventException when it cannot be sent; the message never contains parts of the payload
     * @throws RuntimeException anything that the payload, the clock or the id maker throws
     */
    public static KeptEvent of(String type, Map<String, ?> payload, LongSupplier nowMs, Supplier<String> newId) {
        refuseUnless(type != null && TYPES.contains(type), "unknown type");
        refuseUnless(payload != null, "payload is null");
        Map<String, Object> event = new LinkedHashMap<>(payload);
        Object givenId = event.get("event_id");
        Object eventId = givenId == null ? newId.get() : givenId instanceof UUID ? givenId.toString() : givenId;
        refuseUnless(eventId instanceof String && isEventId((String) eventId), "event_id is not 1-128 characters");
        Object at = event.get("timestamp");
        Long occurredAt = at == null ? Timestamps.inRange(nowMs.getAsLong()) : instantOf(at);
        refuseUnless(occurredAt != null, "timestamp is not a date");
        event.put("event_id", eventId);
        event.put("type", type);
        event.put("timestamp", Timestamps.format(occurredAt));
        byte[] row = bytesOf(event);
        if (row.length > MAX_BYTES) throw new UnsendableEventException("over 1 MiB: " + row.length + " bytes");
        return new KeptEvent((String) eventId, occurredAt, row);
    }

    private static byte[] bytesOf(Map<String, Object> event) {
        try {
            return Json.write(event).getBytes(StandardCharsets.UTF_8);
        } catch (JsonException notJson) {
            throw new UnsendableEventException("payload: " + notJson.getMessage());
        }
    }

    /** Counted in characters, not in UTF-16 units. */
    private static boolean isEventId(String id) {
        return !id.isEmpty()
                && id.length() <= 2 * LONGEST_EVENT_ID
                && id.codePointCount(0, id.length()) <= LONGEST_EVENT_ID;
    }

    /**
     * Reads one of the JDK's instant types, RFC 3339 text with an offset, or epoch milliseconds; null for
     * anything else.
     */
    private static Long instantOf(Object at) {
        refuseUnless(!(at instanceof LocalDateTime), "timestamp is a LocalDateTime, which needs a zone: atZone(...)");
        if (at instanceof Long) return Timestamps.inRange((Long) at);
        if (at instanceof Number) return epochMsOf(((Number) at).doubleValue());
        if (at instanceof CharSequence) return Timestamps.parse(at.toString());
        return Timestamps.ofInstant(at);
    }

    private static Long epochMsOf(double number) {
        return Double.isNaN(number) ? null : Timestamps.inRange((long) number);
    }

    private static void refuseUnless(boolean isSendable, String reason) {
        if (!isSendable) throw new UnsendableEventException(reason);
    }
}
