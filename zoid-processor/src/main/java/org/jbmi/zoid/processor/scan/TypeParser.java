package org.jbmi.zoid.processor.scan;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads what it can of the types above the start line: structures, enumerations and other names.
 * What it cannot read it skips; that matters only if a prototype uses it, and is said there.
 */
final class TypeParser {
    private final TokenReader in;
    private final CTypes types;
    private final Supplier<@Nullable String> specifiers;

    TypeParser(TokenReader in, CTypes types, Supplier<@Nullable String> specifiers) {
        this.in = in;
        this.types = types;
        this.specifiers = specifiers;
    }

    /** Reads one declaration that begins with {@code typedef} or {@code struct}. */
    void declaration() {
        boolean isName = in.takeIf("typedef");
        Token first = in.peek();
        if (first.is("struct") || first.is("union")) {
            structure(isName);
        } else if (first.is("enum")) {
            enumeration(isName);
        } else {
            String base = specifiers.get();
            int addresses = in.stars(Set.of("const"));
            if (isName && base != null && in.peek().kind() == Token.Kind.WORD) {
                types.name(in.next().text(), new CType(base, addresses));
            }
            in.skipPast(";");
        }
    }

    private void structure(boolean isName) {
        String word = in.next().text();
        String tag = in.peek().kind() == Token.Kind.WORD ? in.next().text() : null;
        List<CField> fields = null;
        if (in.takeIf("{")) {
            fields = fields();
            if (word.equals("union")) {
                fields = null;
            }
            if (tag != null && fields != null) {
                types.structure(word + " " + tag, fields);
            }
        }
        if (isName) {
            int addresses = in.stars(Set.of("const"));
            if (in.peek().kind() == Token.Kind.WORD) {
                String name = in.next().text();
                if (fields != null && addresses == 0) {
                    types.structure(name, fields);
                } else if (tag != null) {
                    types.name(name, new CType(word + " " + tag, addresses));
                }
            }
        }
        in.skipPast(";");
    }

    /** The members up to and with the closing brace; null if one of them cannot be read. */
    private @Nullable List<CField> fields() {
        List<CField> fields = new ArrayList<>();
        while (!in.atEnd()) {
            in.skipComments();
            if (in.takeIf("}")) {
                return fields;
            }
            int line = in.peek().line();
            String base = specifiers.get();
            boolean isRead = base != null;
            do {
                isRead = isRead && field(String.valueOf(base), line, fields);
            } while (isRead && in.takeIf(","));
            if (!isRead || !in.takeIf(";")) {
                in.skipPast("}");
                return null;
            }
        }
        return null;
    }

    /** One member, up to the comma or semicolon; false if it cannot be read. */
    private boolean field(String base, int line, List<CField> fields) {
        int addresses = in.stars(Set.of("const"));
        if (in.peek().kind() != Token.Kind.WORD) {
            return false;
        }
        String name = in.next().text();
        int elements = 0;
        if (in.takeIf("[")) {
            StringBuilder size = new StringBuilder();
            while (!in.atEnd() && !in.peek().is("]") && !in.peek().is(";")) {
                size.append(in.next().text());
            }
            elements = types.constant(size.toString());
            if (elements <= 0) {
                return false; // also a size of 0: its place is behind the structure
            }
            in.takeIf("]");
        }
        in.skipComments();
        fields.add(new CField(name, new CType(base, addresses), elements, line));
        return in.peek().is(",") || in.peek().is(";");
    }

    private void enumeration(boolean isName) {
        in.next();
        if (in.peek().kind() == Token.Kind.WORD) {
            types.name("enum " + in.next().text(), new CType("int", 0));
        }
        if (in.takeIf("{")) {
            in.skipPast("}");
        }
        if (isName && in.peek().kind() == Token.Kind.WORD) {
            types.name(in.next().text(), new CType("int", 0));
        }
        in.skipPast(";");
    }
}
