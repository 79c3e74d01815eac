package dev.assay.internal.json;

/**
 * JSON (RFC 8259), since the JDK has no JSON library.
 *
 * <p>A text becomes a {@code LinkedHashMap<String, Object>}, {@code ArrayList<Object>}, {@code
 * String}, {@code Boolean}, null, or a number: {@code Long} when it is written as an integer that
 * fits, else {@code Double}. If two members have the same name, the last one counts. Unpaired
 * surrogates are kept.
 */
public final class Json {
    /** How deep lists and objects may be nested: far below what a thread's stack can hold. */
    public static final int MAX_DEPTH = 256;

    /** How many UTF-16 units a text may have. */
    public static final int MAX_LENGTH = 32 * 1024 * 1024;

    private Json() {}

    /**
     * Reads one JSON text.
     *
     * @throws JsonException for any other text, and for text that is nested too deep, too long, or
     *     contains a number beyond the range of a double; never for other reasons
     */
    public static Object parse(String text) {
        return new JsonReader(text).read();
    }

    /**
     * Writes a value that {@link #parse} returns, and also any {@code Map} with text for keys,
     * {@code Iterable}, array, {@code CharSequence}, {@code Character}, {@code Enum} (its name),
     * {@code UUID}, the numbers of the JDK, and instants ({@code Instant}, {@code OffsetDateTime},
     * {@code ZonedDateTime}, {@code Date}) as RFC 3339 text. The result is well-formed Unicode: an
     * unpaired surrogate is escaped.
     *
     * @throws JsonException for NaN, Infinity, cycles, other types, and results that are too long
     * @throws RuntimeException anything that a collection of the caller throws while it is read
     */
    public static String write(Object value) {
        return new JsonWriter(MAX_LENGTH).write(value);
    }
}
