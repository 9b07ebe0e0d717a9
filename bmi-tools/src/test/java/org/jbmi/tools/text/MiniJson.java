package org.jbmi.tools.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads JSON strictly, to see that what is printed is JSON: objects, arrays, texts, numbers, words.
 */
public final class MiniJson {
    private final String text;
    private int at;

    private MiniJson(String text) {
        this.text = text;
    }

    /** Reads one value: Map, List, String, Double, Boolean or null. */
    public static Object parse(String text) {
        MiniJson json = new MiniJson(text);
        Object value = json.value();
        if (json.at != text.length()) {
            throw json.wrong("the end");
        }
        return value;
    }

    private Object value() {
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        list(
                '{',
                '}',
                () -> {
                    String name = string();
                    take(':');
                    if (object.containsKey(name)) {
                        throw wrong("another name");
                    }
                    object.put(name, value());
                    return null;
                });
        return object;
    }

    private List<Object> array() {
        return list('[', ']', this::value);
    }

    private List<Object> list(char open, char close, Supplier<Object> element) {
        List<Object> elements = new ArrayList<>();
        take(open);
        if (peek() != close) {
            elements.add(element.get());
            while (peek() == ',') {
                take(',');
                elements.add(element.get());
            }
        }
        take(close);
        return elements;
    }

    private String string() {
        take('"');
        StringBuilder string = new StringBuilder();
        for (char c = next(); c != '"'; c = next()) {
            if (c < ' ') {
                throw wrong("no control character");
            }
            string.append(c == '\\' ? escaped() : c);
        }
        return string.toString();
    }

    private char escaped() {
        char c = next();
        if (c == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        int index = "\"\\/bfnrt".indexOf(c);
        if (index < 0) {
            throw wrong("an escape");
        }
        return "\"\\/\b\f\n\r\t".charAt(index);
    }

    private Double number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(from, at);
        if (!digits.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?")) {
            throw wrong("a number");
        }
        return Double.valueOf(digits);
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong(word);
        }
        at += word.length();
        return value;
    }

    private char peek() {
        if (at == text.length()) {
            throw wrong("more");
        }
        return text.charAt(at);
    }

    private char next() {
        char c = peek();
        at++;
        return c;
    }

    private void take(char c) {
        if (next() != c) {
            at--;
            throw wrong("'" + c + "'");
        }
    }

    private AssertionError wrong(String wanted) {
        return new AssertionError("At " + at + " of " + text + " there should be " + wanted);
    }
}
