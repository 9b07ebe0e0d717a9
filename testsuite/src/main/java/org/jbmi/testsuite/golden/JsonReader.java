package org.jbmi.testsuite.golden;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON into maps, lists, strings, longs, doubles, booleans and null. */
final class JsonReader {
    private static final int MAX_DEPTH = 64;

    private final String text;
    private int at;
    private int depth;

    private JsonReader(String text) {
        this.text = text;
    }

    /** Reads a whole text. */
    static @Nullable Object read(String text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value();
        reader.skipBlanks();
        if (reader.at != text.length()) {
            throw reader.malformed("more follows");
        }
        return value;
    }

    private @Nullable Object value() {
        skipBlanks();
        if (++depth > MAX_DEPTH) {
            throw malformed("too deep");
        }
        try {
            return switch (peek()) {
                case '{' -> object();
                case '[' -> array();
                case '"' -> string();
                case 't' -> word("true", true);
                case 'f' -> word("false", false);
                case 'n' -> word("null", null);
                default -> number();
            };
        } finally {
            depth--;
        }
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        at++;
        skipBlanks();
        while (peek() != '}') {
            String name = string();
            skipBlanks();
            expect(':');
            members.put(name, value());
            skipBlanks();
            if (peek() != '}') {
                expect(',');
                skipBlanks();
            }
        }
        at++;
        return members;
    }

    private List<@Nullable Object> array() {
        List<@Nullable Object> elements = new ArrayList<>();
        at++;
        skipBlanks();
        while (peek() != ']') {
            elements.add(value());
            skipBlanks();
            if (peek() != ']') {
                expect(',');
            }
        }
        at++;
        return elements;
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        while (peek() != '"') {
            char c = text.charAt(at++);
            out.append(c == '\\' ? escaped() : c);
        }
        at++;
        return out.toString();
    }

    private char escaped() {
        char c = peek();
        at++;
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                if (at + 4 > text.length()) {
                    throw malformed("the text ends");
                }
                at += 4;
                yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            default -> c;
        };
    }

    private @Nullable Object word(String word, @Nullable Object meaning) {
        if (!text.startsWith(word, at)) {
            throw malformed("no value");
        }
        at += word.length();
        return meaning;
    }

    private Object number() {
        int begin = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(begin, at);
        try {
            if (digits.matches("-?[0-9]+")) {
                return Long.valueOf(digits);
            }
            return Double.valueOf(digits);
        } catch (NumberFormatException e) {
            throw malformed("no value");
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw malformed("the text ends");
        }
        return text.charAt(at);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw malformed("no " + c);
        }
        at++;
    }

    private void skipBlanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private IllegalArgumentException malformed(String what) {
        return new IllegalArgumentException("No JSON at character " + at + ": " + what + ".");
    }
}
