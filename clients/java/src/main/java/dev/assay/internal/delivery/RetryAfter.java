package dev.assay.internal.delivery;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;

/** The Retry-After header of HTTP. */
public final class RetryAfter {
    private static final Pattern SECONDS = Pattern.compile("[0-9]+");
    /** More digits are not needed: this many seconds are 317 years. */
    private static final int MAX_DIGITS = 10;

    private RetryAfter() {}

    /**
     * Reads the header (seconds or a date) as milliseconds to wait. A date is compared with the response's
     * Date header, since this machine's clock may be wrong.
     *
     * @param retryAfter the header; null for none
     * @param date the Date header; null for none
     * @return the wait in milliseconds; 0 when the header is missing or invalid
     */
    public static long parse(String retryAfter, String date) {
        String text = retryAfter == null ? "" : retryAfter.trim();
        if (SECONDS.matcher(text).matches()) {
            String digits = text.replaceFirst("^0+(?=.)", "");
            return Long.parseLong(digits.length() > MAX_DIGITS ? "9".repeat(MAX_DIGITS) : digits) * 1_000;
        }
        Instant until = parseDate(text);
        Instant from = parseDate(date == null ? "" : date.trim());
        return until == null || from == null ? 0 : Math.max(0, until.toEpochMilli() - from.toEpochMilli());
    }

    /** Parses an HTTP date; null when it is malformed. */
    static Instant parseDate(String text) {
        try {
            return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
        } catch (DateTimeException e) {
            return null;
        }
    }
}
