package org.jbmi.zoidfs.nio;

import java.nio.file.PathMatcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Patterns of paths, as {@link java.nio.file.FileSystem#getPathMatcher} describes them. */
final class Globs {
    private static final String SPECIAL = "\\.[]{}()+-*?^$|&~#";

    private final String glob;
    private final StringBuilder regex = new StringBuilder();
    private int at;

    private Globs(String glob) {
        this.glob = glob;
    }

    static PathMatcher matcher(String syntaxAndPattern) {
        int colon = syntaxAndPattern.indexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException(syntaxAndPattern + " names no syntax");
        }
        String syntax = syntaxAndPattern.substring(0, colon);
        String text = syntaxAndPattern.substring(colon + 1);
        Pattern pattern;
        if (syntax.equalsIgnoreCase("glob")) {
            pattern = Pattern.compile(new Globs(text).toRegex());
        } else if (syntax.equalsIgnoreCase("regex")) {
            pattern = Pattern.compile(text);
        } else {
            throw new UnsupportedOperationException("The syntax " + syntax + " is not known");
        }
        return path -> pattern.matcher(path.toString()).matches();
    }

    private String toRegex() {
        boolean inGroup = false;
        while (at < glob.length()) {
            char c = glob.charAt(at++);
            switch (c) {
                case '\\' -> {
                    if (at == glob.length()) {
                        throw malformed("There is nothing behind the last backslash");
                    }
                    literal(glob.charAt(at++));
                }
                case '*' -> {
                    boolean any = at < glob.length() && glob.charAt(at) == '*';
                    at += any ? 1 : 0;
                    regex.append(any ? ".*" : "[^/]*");
                }
                case '?' -> regex.append("[^/]");
                case '[' -> bracket();
                case '{' -> {
                    if (inGroup) {
                        throw malformed("There is a group in a group");
                    }
                    inGroup = true;
                    regex.append("(?:(?:");
                }
                case '}' -> {
                    regex.append(inGroup ? "))" : "\\}");
                    inGroup = false;
                }
                case ',' -> regex.append(inGroup ? ")|(?:" : ",");
                default -> literal(c);
            }
        }
        if (inGroup) {
            throw malformed("A group does not end");
        }
        return regex.toString();
    }

    private void bracket() {
        int end = glob.indexOf(']', at + 1);
        if (end < 0) {
            throw malformed("A bracket does not end");
        }
        String inside = glob.substring(at, end);
        if (inside.indexOf('/') >= 0) {
            throw malformed("A bracket has no slash");
        }
        at = end + 1;
        regex.append("(?!/)[");
        int from = 0;
        if (inside.charAt(0) == '!') {
            regex.append('^');
            from = 1;
        }
        for (int i = from; i < inside.length(); i++) {
            char c = inside.charAt(i);
            boolean range = c == '-' && i > from && i < inside.length() - 1;
            if (range) {
                regex.append('-');
            } else {
                literal(c);
            }
        }
        regex.append(']');
    }

    private void literal(char c) {
        if (SPECIAL.indexOf(c) >= 0) {
            regex.append('\\');
        }
        regex.append(c);
    }

    private PatternSyntaxException malformed(String sentence) {
        return new PatternSyntaxException(sentence, glob, Math.min(at, glob.length()) - 1);
    }
}
