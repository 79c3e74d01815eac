package dev.assay.internal.wire;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** Reads parsed JSON of unknown shape. Nothing here throws. */
final class ForeignValue {
    private static final double FIRST_INEXACT_INTEGER = 9_007_199_254_740_992.0;

    private ForeignValue() {}

    /** Follows a path of field names and list positions; null when a step is missing. */
    static Object at(Object value, String... path) {
        Object found = value;
        for (String key : path) {
            if (found instanceof Map) {
                found = ((Map<?, ?>) found).get(key);
            } else if (found instanceof List && key.equals("0") && !((List<?>) found).isEmpty()) {
                found = ((List<?>) found).get(0);
            } else {
                return null;
            }
        }
        return found;
    }

    /** Returns the string at the end of a path; empty when there is none. */
    static String textAt(Object value, String... path) {
        Object found = at(value, path);
        return found instanceof String ? (String) found : "";
    }

    /** Returns the first of the values that is not null, or null. */
    static Object firstOf(Object... values) {
        for (Object value : values) {
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /** Returns whether a value is truthy: not null, false, zero or an empty string. */
    static boolean isSomething(Object value) {
        if (value instanceof Boolean) {
            return (Boolean) value;
        }
        if (value instanceof Number) {
            return ((Number) value).doubleValue() != 0;
        }
        return value != null && !"".equals(value);
    }

    /**
     * Returns a value as a list: a list unchanged, anything else as the only element, null as an empty
     * list.
     */
    static List<?> listOf(Object value) {
        if (value instanceof List) {
            return (List<?>) value;
        }
        return value == null ? List.of() : List.of(value);
    }

    /** Returns a string unchanged, and anything else as JSON; null for null. */
    static String toText(Object value) {
        if (value == null || value instanceof String) {
            return (String) value;
        }
        StringBuilder json = new StringBuilder();
        writeJson(value, json);
        return json.toString();
    }

    /**
     * Writes JSON as every client library does in texts: no spaces, numbers as in ECMAScript.
     */
    private static void writeJson(Object value, StringBuilder json) {
        if (value instanceof Map) {
            char separator = '{';
            for (Map.Entry<?, ?> field : ((Map<?, ?>) value).entrySet()) {
                writeString(String.valueOf(field.getKey()), json.append(separator));
                writeJson(field.getValue(), json.append(':'));
                separator = ',';
            }
            json.append(separator == '{' ? "{}" : "}");
        } else if (value instanceof List) {
            char separator = '[';
            for (Object element : (List<?>) value) {
                writeJson(element, json.append(separator));
                separator = ',';
            }
            json.append(separator == '[' ? "[]" : "]");
        } else if (value instanceof String) {
            writeString((String) value, json);
        } else {
            json.append(value instanceof Number ? numberText((Number) value) : String.valueOf(value));
        }
    }

    private static void writeString(String text, StringBuilder json) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            int escape = "\"\\\b\f\n\r\t".indexOf(unit);
            if (escape >= 0) {
                json.append('\\').append("\"\\bfnrt".charAt(escape));
            } else if (unit < ' ' || isLoneSurrogate(text, i)) {
                json.append(String.format("\\u%04x", (int) unit));
            } else {
                json.append(unit);
            }
        }
        json.append('"');
    }

    private static boolean isLoneSurrogate(String text, int i) {
        char unit = text.charAt(i);
        if (Character.isHighSurrogate(unit)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(unit) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }

    /** ECMAScript's Number::toString, section 6.1.6.1.20 of the 2024 edition. */
    private static String numberText(Number number) {
        double value = number.doubleValue();
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "null";
        }
        if (value == Math.rint(value) && Math.abs(value) < FIRST_INEXACT_INTEGER) {
            return Long.toString((long) value);
        }
        BigDecimal shortest = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        int exponent = shortest.precision() - shortest.scale();
        if (exponent > -6 && exponent <= 21) {
            return shortest.toPlainString();
        }
        String digits = shortest.unscaledValue().abs().toString();
        String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
        String sign = value < 0 ? "-" : "";
        return sign + digits.charAt(0) + fraction + (exponent > 0 ? "e+" : "e") + (exponent - 1);
    }
}
