package dev.assay.internal.json;

import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes one value. The value may be the caller's: a collection may throw, never end, or contain
 * itself.
 */
final class JsonWriter {
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private final StringBuilder out = new StringBuilder(256);
    private final int maxLength;
    private int depth;

    JsonWriter(int maxLength) {
        this.maxLength = maxLength;
    }

    String write(Object value) {
        writeValue(value);
        return out.toString();
    }

    private void writeValue(Object value) {
        if (out.length() > maxLength) throw new JsonException("too long");
        if (value == null) out.append("null");
        else if (value instanceof CharSequence) writeText(value.toString());
        else if (value instanceof Number) writeNumber((Number) value);
        else if (value instanceof Boolean) out.append(value.toString());
        else if (value instanceof Map) writeObject((Map<?, ?>) value);
        else if (value instanceof Iterable) writeList((Iterable<?>) value);
        else if (value.getClass().isArray()) writeArray(value);
        else writeText(textOf(value));
    }

    private static String textOf(Object value) {
        if (value instanceof Enum) return ((Enum<?>) value).name();
        if (value instanceof Character || value instanceof UUID) return value.toString();
        Long instant = Timestamps.ofInstant(value);
        if (instant == null) throw new JsonException("not JSON");
        return Timestamps.format(instant);
    }

    private void writeObject(Map<?, ?> fields) {
        enter('{');
        String separator = "";
        for (Map.Entry<?, ?> field : fields.entrySet()) {
            Object name = field.getKey();
            if (!(name instanceof String)) throw new JsonException("a key is not a String");
            out.append(separator);
            writeText((String) name);
            out.append(':');
            writeValue(field.getValue());
            separator = ",";
        }
        leave('}');
    }

    private void writeList(Iterable<?> items) {
        enter('[');
        String separator = "";
        for (Object item : items) {
            out.append(separator);
            writeValue(item);
            separator = ",";
        }
        leave(']');
    }

    private void writeArray(Object items) {
        enter('[');
        int length = Array.getLength(items);
        for (int i = 0; i < length; i++) {
            if (i > 0) out.append(',');
            writeValue(Array.get(items, i));
        }
        leave(']');
    }

    private void enter(char bracket) {
        // A cyclic value is infinitely deep.
        if (++depth > Json.MAX_DEPTH) throw new JsonException("too deep, or it contains itself");
        out.append(bracket);
    }

    private void leave(char bracket) {
        depth--;
        out.append(bracket);
    }

    private void writeNumber(Number number) {
        if (!isOfTheJdk(number)) throw new JsonException("not JSON");
        if (!Double.isFinite(number.doubleValue())) throw new JsonException("NaN or Infinity");
        out.append(number);
    }

    /** Any other class, including a subclass, may print itself in any way. */
    private static boolean isOfTheJdk(Number number) {
        Class<?> type = number.getClass();
        return type == Integer.class
                || type == Long.class
                || type == Double.class
                || type == Float.class
                || type == Short.class
                || type == Byte.class
                || type == BigDecimal.class
                || type == BigInteger.class
                || type == AtomicInteger.class
                || type == AtomicLong.class;
    }

    private void writeText(String text) {
        if (text.length() > maxLength) throw new JsonException("too long");
        out.append('"');
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            if (isPlain(unit)) continue;
            if (isPairAt(text, i)) {
                i++;
                continue;
            }
            out.append(text, start, i);
            writeEscape(unit);
            start = i + 1;
        }
        out.append(text, start, text.length()).append('"');
    }

    private static boolean isPlain(char unit) {
        return unit >= ' ' && unit != '"' && unit != '\\' && !Character.isSurrogate(unit);
    }

    private static boolean isPairAt(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
    }

    private void writeEscape(char unit) {
        switch (unit) {
            case '"':
            case '\\':
                out.append('\\').append(unit);
                break;
            case '\n':
                out.append("\\n");
                break;
            case '\r':
                out.append("\\r");
                break;
            case '\t':
                out.append("\\t");
                break;
            default:
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) out.append(HEX[unit >> shift & 15]);
        }
    }
}
