package dev.assay.internal.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one text by recursive descent. */
final class JsonReader {
    private final String text;
    private int at;
    private int depth;

    JsonReader(String text) {
        if (text == null) throw new JsonException("no text");
        if (text.length() > Json.MAX_LENGTH) throw new JsonException("too long");
        this.text = text;
    }

    Object read() {
        Object value = readValue();
        skipBlanks();
        if (at < text.length()) throw new JsonException("more than one value");
        return value;
    }

    private Object readValue() {
        skipBlanks();
        int first = peek();
        switch (first) {
            case '{':
                return readObject();
            case '[':
                return readList();
            case '"':
                return readText();
            case 't':
                return readWord("true", Boolean.TRUE);
            case 'f':
                return readWord("false", Boolean.FALSE);
            case 'n':
                return readWord("null", null);
            default:
                return readNumber();
        }
    }

    private Map<String, Object> readObject() {
        Map<String, Object> fields = new LinkedHashMap<>();
        enter();
        if (!takeAfterBlanks('}')) {
            do {
                skipBlanks();
                if (peek() != '"') throw new JsonException("a name is missing");
                String name = readText();
                if (!takeAfterBlanks(':')) throw new JsonException("a colon is missing");
                fields.put(name, readValue());
            } while (takeAfterBlanks(','));
            if (!takeAfterBlanks('}')) throw new JsonException("an object has no end");
        }
        depth--;
        return fields;
    }

    private List<Object> readList() {
        List<Object> items = new ArrayList<>();
        enter();
        if (!takeAfterBlanks(']')) {
            do {
                items.add(readValue());
            } while (takeAfterBlanks(','));
            if (!takeAfterBlanks(']')) throw new JsonException("a list has no end");
        }
        depth--;
        return items;
    }

    private void enter() {
        at++;
        if (++depth > Json.MAX_DEPTH) throw new JsonException("too deep");
    }

    private Object readWord(String word, Object value) {
        if (!text.startsWith(word, at)) throw new JsonException("no value");
        at += word.length();
        return value;
    }

    private String readText() {
        int start = ++at;
        while (at < text.length()) {
            char unit = text.charAt(at);
            if (unit == '"') return text.substring(start, at++);
            if (unit == '\\') return readEscapedText(start);
            if (unit < ' ') break;
            at++;
        }
        throw new JsonException("a text has no end");
    }

    /** Continues from the first escape. */
    private String readEscapedText(int start) {
        StringBuilder units = new StringBuilder(Math.max(16, (at - start) * 2)).append(text, start, at);
        while (at < text.length()) {
            char unit = text.charAt(at++);
            if (unit == '"') return units.toString();
            if (unit < ' ') break;
            units.append(unit == '\\' ? readEscape() : unit);
        }
        throw new JsonException("a text has no end");
    }

    private char readEscape() {
        int letter = peek();
        at++;
        switch (letter) {
            case '"':
            case '\\':
            case '/':
                return (char) letter;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                return readUnit();
            default:
                throw new JsonException("an unknown escape");
        }
    }

    private char readUnit() {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = hexOf(peek());
            if (digit < 0) throw new JsonException("an escape without four digits");
            unit = unit << 4 | digit;
            at++;
        }
        return (char) unit;
    }

    /** Character.digit would accept the digits of every script. */
    private static int hexOf(int unit) {
        if (unit >= '0' && unit <= '9') return unit - '0';
        int letter = unit | 0x20;
        return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
    }

    private Number readNumber() {
        int start = at;
        take('-');
        if (!take('0')) skipDigits();
        boolean isInteger = true;
        if (take('.')) {
            isInteger = false;
            skipDigits();
        }
        if (take('e') || take('E')) {
            isInteger = false;
            if (!take('+')) take('-');
            skipDigits();
        }
        return numberOf(text.substring(start, at), isInteger);
    }

    private static Number numberOf(String digits, boolean isInteger) {
        // 18 digits and a sign always fit; 19 digits sometimes do.
        if (isInteger && digits.length() <= 20) {
            try {
                return Long.valueOf(digits);
            } catch (NumberFormatException tooLong) {
                // Otherwise the nearest double.
            }
        }
        double number = Double.parseDouble(digits);
        if (Double.isInfinite(number)) throw new JsonException("a number out of range");
        return number;
    }

    private void skipDigits() {
        int start = at;
        while (peek() >= '0' && peek() <= '9') at++;
        if (at == start) throw new JsonException("no value");
    }

    private boolean take(char unit) {
        if (peek() != unit) return false;
        at++;
        return true;
    }

    private boolean takeAfterBlanks(char unit) {
        skipBlanks();
        return take(unit);
    }

    private void skipBlanks() {
        while (at < text.length()) {
            char unit = text.charAt(at);
            if (unit != ' ' && unit != '\n' && unit != '\r' && unit != '\t') return;
            at++;
        }
    }

    /** Returns the next unit, -1 at the end. */
    private int peek() {
        return at < text.length() ? text.charAt(at) : -1;
    }
}
