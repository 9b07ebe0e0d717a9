package org.jbmi.zoid.processor.scan;

import org.jbmi.zoid.processor.model.Hints;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads a header: the types above the start line, and the prototypes below it. */
final class HeaderParser {
    /** Words that say nothing about how a value is encoded. */
    private static final Set<String> IGNORED =
            Set.of(
                    "const",
                    "volatile",
                    "restrict",
                    "__restrict",
                    "__restrict__",
                    "extern",
                    "register");

    private static final Set<String> NUMBER_WORDS =
            Set.of("unsigned", "signed", "long", "short", "int", "char", "double");

    private static final Pattern HINTS =
            Pattern.compile("(in|out|inout|obj|str|ptr|arr|arr2d|nullok|zerocopy|userbuf)(:.*)?");

    private final TokenReader in;
    private final Problems problems;
    private final CTypes types;
    private final List<CFunction> functions = new ArrayList<>();

    private HeaderParser(List<Token> tokens, Problems problems, CTypes types) {
        this.in = new TokenReader(tokens);
        this.problems = problems;
        this.types = types;
    }

    /** Reads a header; adds what is wrong to the problems. */
    static Header parse(String text, Problems problems) {
        Lexer lexer = Lexer.of(text, problems);
        CTypes types = new CTypes(lexer.constants());
        HeaderParser parser = new HeaderParser(lexer.tokens(), problems, types);
        StartLine start = parser.findStart();
        if (start != null) {
            parser.prototypes();
        }
        return new Header(start, types, parser.functions);
    }

    private @Nullable StartLine findStart() {
        while (!in.atEnd()) {
            if (StartLine.isOne(in.peek())) {
                return StartLine.parse(in.next(), problems);
            }
            if (in.peek().is("typedef") || in.peek().is("struct")) {
                new TypeParser(in, types, this::specifiers).declaration();
            } else {
                in.next();
            }
        }
        problems.add(
                1, "There is no start line: /* START-ZOID-SCANNER ID=n INIT=s FINI=s PROC=s */");
        return null;
    }

    private void prototypes() {
        while (!in.atEnd()) {
            in.skipComments();
            if (in.takeIf("}") || in.takeIf(";")) {
                continue;
            }
            if (in.peek().is("extern") && in.peek(1).text().startsWith("\"")) {
                in.next();
                in.next();
                in.takeIf("{");
                continue;
            }
            if (!in.atEnd()) {
                prototype();
            }
        }
    }

    private void prototype() {
        int line = in.peek().line();
        if (in.peek().is("typedef")) {
            refuse(line, "Declarations of types belong above the start line.");
            return;
        }
        CType result = type();
        if (in.peek().is("{")) {
            refuse(line, "Declarations of types belong above the start line.");
            return;
        }
        if (result == null || in.peek().kind() != Token.Kind.WORD) {
            refuse(line, "'" + in.peek().text() + "' is no prototype that the scanner can read.");
            return;
        }
        Token name = in.next();
        if (!in.takeIf("(")) {
            refuse(line, "'" + name.text() + "' is no function: '(' is missing behind it.");
            return;
        }
        List<CFunction.CParameter> parameters = parameters(name.text());
        if (parameters == null) {
            in.skipPast(";");
            return;
        }
        in.skipComments();
        if (!in.peek().is(";")) {
            refuse(in.peek().line(), "';' is missing behind '" + name.text() + "'.");
            return;
        }
        in.next();
        functions.add(new CFunction(result, name.text(), parameters, line));
    }

    private void refuse(int line, String sentence) {
        problems.add(line, sentence);
        in.skipPast(";");
    }

    /** The parameters up to and with the bracket that closes them; null if they cannot be read. */
    private @Nullable List<CFunction.CParameter> parameters(String function) {
        List<CFunction.CParameter> parameters = new ArrayList<>();
        in.skipComments();
        if (in.takeIf(")")) {
            return parameters;
        }
        if (in.peek().is("void") && in.peek(1).is(")")) {
            in.next();
            in.next();
            return parameters;
        }
        while (true) {
            CFunction.CParameter parameter = parameter(function, parameters.size() + 1);
            if (parameter == null) {
                return null;
            }
            parameters.add(parameter);
            if (in.takeIf(")")) {
                return parameters;
            }
            if (!in.takeIf(",")) {
                problems.add(
                        in.peek().line(),
                        "A comma is missing behind the parameter '" + parameter.name() + "'.");
                return null;
            }
            refuseLateHints(parameter.name());
        }
    }

    private CFunction.@Nullable CParameter parameter(String function, int number) {
        in.skipComments();
        int line = in.peek().line();
        if (in.peek().is(".")) {
            problems.add(
                    line,
                    "'" + function + "' takes any number of arguments; none can be forwarded.");
            return null;
        }
        CType type = type();
        if (in.peek().is("(")) {
            problems.add(
                    line, "A function cannot be forwarded as a parameter of '" + function + "'.");
            return null;
        }
        if (type == null || in.peek().kind() != Token.Kind.WORD) {
            problems.add(
                    line,
                    "Parameter " + number + " of '" + function + "' needs a type and a name.");
            return null;
        }
        String name = in.next().text();
        int addresses = type.addresses();
        while (in.takeIf("[")) {
            in.skipPast("]");
            addresses++;
        }
        StringBuilder comment = new StringBuilder();
        int commentLine = line;
        while (in.peek().kind() == Token.Kind.COMMENT) {
            commentLine = in.peek().line();
            comment.append(in.next().text());
        }
        Hints hints = HintComment.parse(comment.toString(), commentLine, problems);
        return new CFunction.CParameter(
                new CType(type.base(), addresses), name, hints, comment.toString(), line);
    }

    private void refuseLateHints(String parameter) {
        Token next = in.peek();
        if (next.kind() == Token.Kind.COMMENT && HINTS.matcher(next.text()).matches()) {
            problems.add(
                    next.line(),
                    "The hints of '" + parameter + "' stand behind the comma; put them before it.");
        }
    }

    /** A type with its stars, or null if there is none here. */
    private @Nullable CType type() {
        String base = specifiers();
        return base == null ? null : new CType(base, in.stars(IGNORED));
    }

    /** What a type consists of before its stars, in one spelling; null if there is none here. */
    private @Nullable String specifiers() {
        StringBuilder numbers = new StringBuilder();
        String base = null;
        while (in.peek().kind() == Token.Kind.WORD) {
            String word = in.peek().text();
            if (IGNORED.contains(word)) {
                in.next();
            } else if (base == null && NUMBER_WORDS.contains(word)) {
                numbers.append(numbers.isEmpty() ? "" : " ").append(in.next().text());
            } else if (base == null && numbers.isEmpty()) {
                in.next();
                base = word;
                if (Set.of("struct", "union", "enum").contains(word)
                        && in.peek().kind() == Token.Kind.WORD) {
                    base = word + " " + in.next().text();
                }
            } else {
                break;
            }
        }
        return base != null ? base : numbers.isEmpty() ? null : numbers.toString();
    }
}
