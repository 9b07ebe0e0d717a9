package org.jbmi.zoid.processor.scan;

import java.util.List;
import java.util.Set;

/** Goes through tokens. */
final class TokenReader {
    private final List<Token> tokens;
    private int next;

    TokenReader(List<Token> tokens) {
        this.tokens = tokens;
    }

    Token peek() {
        return peek(0);
    }

    /** The one that comes a number of tokens later; the end has no successor. */
    Token peek(int later) {
        return tokens.get(Math.min(next + later, tokens.size() - 1));
    }

    boolean atEnd() {
        return peek().kind() == Token.Kind.END;
    }

    Token next() {
        Token token = peek();
        if (!atEnd()) {
            next++;
        }
        return token;
    }

    boolean takeIf(String symbol) {
        boolean found = peek().is(symbol);
        if (found) {
            next();
        }
        return found;
    }

    void skipComments() {
        while (peek().kind() == Token.Kind.COMMENT && !StartLine.isOne(peek())) {
            next();
        }
    }

    /** Goes behind the next symbol of a kind that stands in no braces, or to the end. */
    void skipPast(String symbol) {
        int depth = 0;
        while (!atEnd()) {
            Token token = next();
            if (token.is("{")) {
                depth++;
            } else if (token.is("}")) {
                depth--;
            }
            if (depth <= 0 && token.is(symbol)) {
                return;
            }
        }
    }

    /** Counts the stars here, and skips the words between them that say nothing. */
    int stars(Set<String> ignored) {
        int stars = 0;
        while (peek().is("*")
                || (peek().kind() == Token.Kind.WORD && ignored.contains(peek().text()))) {
            stars += next().is("*") ? 1 : 0;
        }
        return stars;
    }
}
