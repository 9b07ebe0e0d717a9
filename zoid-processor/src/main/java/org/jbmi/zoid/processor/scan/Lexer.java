package org.jbmi.zoid.processor.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts a C header into tokens. White space is left out, and so are the lines of the preprocessor.
 * What they define as a number, or as a sum or product of some, is kept.
 */
final class Lexer {
    private static final Pattern DEFINITION =
            Pattern.compile(
                    "#[ \\t]*define[ \\t]+([A-Za-z_]\\w*)[ \\t]+([\\w()+*/<\\- \\t]+?)[ \\t]*"
                            + "(?:\\r?$|/[/*])",
                    Pattern.MULTILINE);

    private final String text;
    private final Problems problems;
    private final List<Token> tokens = new ArrayList<>();
    private final Constants constants = new Constants();
    private int position;
    private int line = 1;
    private boolean lineIsEmpty = true;

    private Lexer(String text, Problems problems) {
        this.text = text;
        this.problems = problems;
    }

    static Lexer of(String text, Problems problems) {
        Lexer lexer = new Lexer(text, problems);
        lexer.run();
        return lexer;
    }

    /** All tokens, the last one of kind END. */
    List<Token> tokens() {
        return tokens;
    }

    /** What the preprocessor knows by a name. */
    Constants constants() {
        return constants;
    }

    private void run() {
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '\n') {
                line++;
                lineIsEmpty = true;
                position++;
            } else if (Character.isWhitespace(c)) {
                position++;
            } else if (text.startsWith("/*", position)) {
                comment();
            } else if (text.startsWith("//", position)) {
                endOfLine();
            } else if (c == '#' && lineIsEmpty) {
                preprocessor();
            } else {
                lineIsEmpty = false;
                word(c);
            }
        }
        tokens.add(new Token(Token.Kind.END, "", line));
    }

    private void comment() {
        int end = text.indexOf("*/", position + 2);
        if (end < 0) {
            problems.add(line, "This comment has no end.");
            end = text.length();
        }
        String content = text.substring(position + 2, end);
        tokens.add(new Token(Token.Kind.COMMENT, content.strip(), line));
        line += (int) content.chars().filter(c -> c == '\n').count();
        position = Math.min(end + 2, text.length());
    }

    private void endOfLine() {
        int end = text.indexOf('\n', position);
        position = end < 0 ? text.length() : end;
    }

    /** A line that begins with a number sign, and those that it is continued in. */
    private void preprocessor() {
        Matcher found = DEFINITION.matcher(text).region(position, text.length());
        if (found.lookingAt()) {
            constants.define(found.group(1), found.group(2));
        }
        while (position < text.length() && text.charAt(position) != '\n') {
            if (text.startsWith("/*", position)) {
                int end = text.indexOf("*/", position);
                if (end >= 0) {
                    line +=
                            (int)
                                    text.substring(position, end)
                                            .chars()
                                            .filter(c -> c == '\n')
                                            .count();
                    position = end + 2;
                    continue;
                }
            }
            if (text.startsWith("\\\n", position)) {
                line++;
                position++;
            } else if (text.startsWith("\\\r\n", position)) {
                line++;
                position += 2;
            }
            position++;
        }
    }

    private void word(char first) {
        int start = position;
        if (first == '"' || first == '\'') {
            quoted(first);
            return;
        }
        while (position < text.length() && isWordCharacter(text.charAt(position))) {
            position++;
        }
        if (position > start) {
            Token.Kind kind = Character.isDigit(first) ? Token.Kind.NUMBER : Token.Kind.WORD;
            tokens.add(new Token(kind, text.substring(start, position), line));
            return;
        }
        position++;
        tokens.add(new Token(Token.Kind.SYMBOL, String.valueOf(first), line));
    }

    private void quoted(char quote) {
        int start = position++;
        while (position < text.length() && text.charAt(position) != quote) {
            if (text.charAt(position) == '\n') {
                problems.add(line, "A quotation does not end in its line.");
                return;
            }
            position += text.charAt(position) == '\\' ? 2 : 1;
        }
        position = Math.min(position + 1, text.length());
        tokens.add(new Token(Token.Kind.SYMBOL, text.substring(start, position), line));
    }

    private static boolean isWordCharacter(char c) {
        return c == '_' || (c < 128 && Character.isLetterOrDigit(c));
    }
}
