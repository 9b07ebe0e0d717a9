package org.jbmi.docs;

import java.io.IOException;
import java.lang.reflect.Member;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The project's documents, wherever the tests are started. */
final class Documents {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern MEMBER = Pattern.compile("[A-Z][A-Za-z]+\\.\\w+");
    private static final List<String> PACKAGES =
            List.of(
                    "org.jbmi.",
                    "org.jbmi.spi.",
                    "org.jbmi.tcp.",
                    "org.jbmi.zoid.",
                    "org.jbmi.shipper.",
                    "org.jbmi.shipper.codec.",
                    "java.lang.");

    private Documents() {}

    static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("bmi-tools/pom.xml"))) {
            directory = directory.getParent();
            if (directory == null) {
                throw new AssertionError("The tests run outside of the project.");
            }
        }
        return directory;
    }

    static String read(String name) throws IOException {
        return Files.readString(root().resolve(name));
    }

    /** The README and all pages of docs/. */
    static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        pages.add(root().resolve("README.md"));
        try (Stream<Path> all = Files.walk(root().resolve("docs"))) {
            all.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
        }
        return pages;
    }

    /** The cells of all table rows of a document. */
    static List<List<String>> rows(String document) {
        List<List<String>> rows = new ArrayList<>();
        for (String line : document.lines().toList()) {
            if (line.startsWith("| ") && line.endsWith(" |")) {
                String inner = line.substring(2, line.length() - 2);
                rows.add(List.of(inner.split(" \\| ", -1)));
            }
        }
        return rows;
    }

    /** Everything between back-ticks on one line. */
    static List<String> code(String document) {
        List<String> code = new ArrayList<>();
        Matcher matcher = CODE.matcher(document);
        while (matcher.find()) {
            code.add(matcher.group(1));
        }
        return code;
    }

    /** The names of public members in the text, as in {@code Bmi.open}, that do not exist. */
    static List<String> missingMembers(String document) {
        return code(document).stream()
                .filter(code -> MEMBER.matcher(code).matches())
                .filter(code -> !exists(code))
                .toList();
    }

    private static boolean exists(String typeAndMember) {
        int dot = typeAndMember.indexOf('.');
        String member = typeAndMember.substring(dot + 1);
        for (String packageName : PACKAGES) {
            try {
                Class<?> found = Class.forName(packageName + typeAndMember.substring(0, dot));
                return Stream.of(found.getMethods(), found.getFields())
                        .flatMap(Stream::of)
                        .map(each -> ((Member) each).getName())
                        .anyMatch(member::equals);
            } catch (ClassNotFoundException e) {
                continue;
            }
        }
        return false;
    }

    /** The fenced blocks of one language. */
    static List<String> blocks(String document, String language) {
        List<String> blocks = new ArrayList<>();
        Matcher matcher =
                Pattern.compile(
                                "^```" + language + "\\n(.*?)^```$",
                                Pattern.DOTALL | Pattern.MULTILINE)
                        .matcher(document);
        while (matcher.find()) {
            blocks.add(matcher.group(1));
        }
        return blocks;
    }
}
