package dev.assay.internal.json;

/**
 * JSON (RFC 8259), since the JDK has none.
 *
 * <p>A text becomes a {@code LinkedHashMap<String, Object>}, {@code ArrayList<Object>}, {@code
 * String}, {@code Boolean}, null, or a number: {@code Long} when it is written as an integer that
 * fits, else {@code Double}. Of two members with one name the last counts. Unpaired surrogates
 * survive.
 */
public final class Json {
    /** How deep lists and objects may be nested: far from what a thread's stack holds. */
    public static final int MAX_DEPTH = 256;

    /** How many UTF-16 units a text may have. */
    public static final int MAX_LENGTH = 32 * 1024 * 1024;

    private Json() {}

    /**
     * Reads one JSON text.
     *
     * @throws JsonException for anything else, what is nested too deep, is too long, or holds a
     *     number that no double comes near to; for nothing but this
     */
    public static Object parse(String text) {
        return new JsonReader(text).read();
    }

    /**
     * Writes a value as {@link #parse} answers it, and besides: any {@code Map} with text for keys,
     * {@code Iterable}, array, {@code CharSequence}, {@code Character}, {@code Enum} (its name),
     * {@code UUID}, the numbers of the JDK, and instants ({@code Instant}, {@code OffsetDateTime},
     * {@code ZonedDateTime}, {@code Date}) as RFC 3339 text. The text is well-formed Unicode: an
     * unpaired surrogate is escaped.
     *
     * @throws JsonException for NaN, Infinity, cycles, other types, and what is too long
     * @throws RuntimeException whatever a collection of the caller throws while it is read
     */
    public static String write(Object value) {
        return new JsonWriter(MAX_LENGTH).write(value);
    }
}
