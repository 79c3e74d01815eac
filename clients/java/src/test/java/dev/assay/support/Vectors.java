package dev.assay.support;

import dev.assay.internal.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** The vectors that all languages share, read in place. */
public final class Vectors {
    private Vectors() {}

    /** Reads {@code vectors/<name>.json}; the name may hold a folder. */
    public static Map<String, Object> read(String name) {
        try {
            return object(Json.parse(Files.readString(Repository.root().resolve("vectors/" + name + ".json"))));
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    /** Returns the file's cases. */
    public static List<Map<String, Object>> cases(String name) {
        return objects(read(name).get("cases"));
    }

    /** Makes a test of each case of a file, named after both. */
    public static Stream<DynamicTest> tests(String name, Consumer<Map<String, Object>> test) {
        return cases(name).stream()
                .map(vector ->
                        DynamicTest.dynamicTest(name + ".json: " + vector.get("name"), () -> test.accept(vector)));
    }

    /** Returns the fields of a parsed object. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> object(Object parsed) {
        return (Map<String, Object>) parsed;
    }

    /** Returns a parsed list of objects. */
    @SuppressWarnings("unchecked")
    public static List<Map<String, Object>> objects(Object parsed) {
        return (List<Map<String, Object>>) parsed;
    }

    /** Returns a parsed list. */
    @SuppressWarnings("unchecked")
    public static List<Object> list(Object parsed) {
        return (List<Object>) parsed;
    }

    /** Returns a parsed integer. */
    public static long integer(Object parsed) {
        return ((Number) parsed).longValue();
    }

    /** Returns the string that a list of UTF-16 code units stands for. */
    public static String ofUnits(Object parsed) {
        StringBuilder text = new StringBuilder();
        for (Object unit : list(parsed)) text.append((char) integer(unit));
        return text.toString();
    }
}
