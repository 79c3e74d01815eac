package dev.assay.internal.json;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Instants as RFC 3339 text, in epoch milliseconds. */
public final class Timestamps {
    private static final String DAY = "(\\d{4})-(\\d\\d)-(\\d\\d)";
    private static final String TIME = "(\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d+))?";
    private static final String OFFSET = "(?:[Zz]|([+-])(\\d\\d):(\\d\\d))";
    private static final Pattern RFC_3339 = Pattern.compile(DAY + "[Tt]" + TIME + OFFSET);

    /** Year 0 to year 9999: the range of four digits. */
    private static final long FIRST = -62_167_219_200_000L;

    private static final long LAST = 253_402_300_799_999L;

    private Timestamps() {}

    /**
     * Reads one of the JDK's instant types; null for anything else, and for instants that RFC 3339 cannot
     * express.
     */
    public static Long ofInstant(Object value) {
        if (value instanceof Date) return inRange(((Date) value).getTime());
        Instant instant = instantOf(value);
        if (instant == null) return null;
        try {
            return inRange(instant.toEpochMilli());
        } catch (ArithmeticException outOfRange) {
            return null;
        }
    }

    private static Instant instantOf(Object value) {
        if (value instanceof Instant) return (Instant) value;
        if (value instanceof OffsetDateTime) return ((OffsetDateTime) value).toInstant();
        if (value instanceof ZonedDateTime) return ((ZonedDateTime) value).toInstant();
        return null;
    }

    /** Returns the instant, or null if RFC 3339 cannot express it. */
    public static Long inRange(long epochMs) {
        return epochMs >= FIRST && epochMs <= LAST ? epochMs : null;
    }

    /**
     * Reads RFC 3339 text with an offset; cuts off fractions of a millisecond. Null for any other text.
     */
    public static Long parse(String text) {
        Matcher match = RFC_3339.matcher(text);
        if (!match.matches()) return null;
        try {
            LocalDateTime local = LocalDateTime.of(
                    number(match, 1),
                    number(match, 2),
                    number(match, 3),
                    number(match, 4),
                    number(match, 5),
                    number(match, 6),
                    nanosOf(match.group(7)));
            return inRange(local.toInstant(ZoneOffset.UTC).toEpochMilli() - offsetMs(match));
        } catch (DateTimeException noSuchTime) {
            return null;
        }
    }

    private static int number(Matcher match, int group) {
        return Integer.parseInt(match.group(group));
    }

    private static int nanosOf(String fraction) {
        return fraction == null ? 0 : Integer.parseInt((fraction + "00").substring(0, 3)) * 1_000_000;
    }

    /** Up to 23:59 either way; the JDK's own offsets end at 18:00. */
    private static long offsetMs(Matcher match) {
        if (match.group(8) == null) return 0;
        int hours = number(match, 9);
        int minutes = number(match, 10);
        if (hours > 23 || minutes > 59) throw new DateTimeException("offset");
        return (hours * 60L + minutes) * (match.group(8).equals("-") ? -60_000 : 60_000);
    }

    /** Writes an instant from year 0 to year 9999 as RFC 3339 in UTC with milliseconds. */
    public static String format(long epochMs) {
        LocalDateTime at = LocalDateTime.ofEpochSecond(
                Math.floorDiv(epochMs, 1000L), Math.floorMod(epochMs, 1000) * 1_000_000, ZoneOffset.UTC);
        StringBuilder text = new StringBuilder(24);
        digits(text, at.getYear(), 4).append('-');
        digits(text, at.getMonthValue(), 2).append('-');
        digits(text, at.getDayOfMonth(), 2).append('T');
        digits(text, at.getHour(), 2).append(':');
        digits(text, at.getMinute(), 2).append(':');
        digits(text, at.getSecond(), 2).append('.');
        return digits(text, at.getNano() / 1_000_000, 3).append('Z').toString();
    }

    private static StringBuilder digits(StringBuilder text, int number, int width) {
        int place = width == 4 ? 1000 : width == 3 ? 100 : 10;
        for (; place > 0; place /= 10) text.append((char) ('0' + number / place % 10));
        return text;
    }
}
