package org.jbmi.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A paragraph of a document has at most 80 words: what needs more is two, or a table. */
class ParagraphsTest {
    private static final int MAXIMUM_WORDS = 80;
    private static final Pattern ITEM = Pattern.compile("^\\s*(\\*|\\d+\\.) ");

    @Test
    void noParagraphIsTooLong() throws IOException {
        List<String> found = new ArrayList<>();
        List<Path> pages = Documents.pages();
        assertThat(pages).hasSizeGreaterThan(20);
        for (Path page : pages) {
            for (String line : tooLong(Files.readString(page))) {
                found.add(page + ": " + line);
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void aParagraphThatIsTooLongIsSeen() {
        String words = "word ".repeat(MAXIMUM_WORDS);
        assertThat(tooLong(words)).isEmpty();
        assertThat(tooLong("first\n\n" + words + "more"))
                .containsExactly("word word word word word");
        assertThat(tooLong(words + "\nmore")).as("one paragraph in two lines").hasSize(1);
        assertThat(tooLong("* " + words + "\n* " + words)).as("two items").isEmpty();
        assertThat(tooLong("```\n" + words + "more\n```\n")).as("code").isEmpty();
        assertThat(tooLong("| " + words + " | more |\n")).as("a table").isEmpty();
    }

    /** The first words of each paragraph or item that is too long. */
    private static List<String> tooLong(String page) {
        List<String> found = new ArrayList<>();
        List<String> words = new ArrayList<>();
        boolean isCode = false;
        for (String line : (page + "\n\n").lines().toList()) {
            boolean isFence = line.startsWith("```");
            boolean isText = !isCode && !isFence && !line.startsWith("|") && !line.startsWith("#");
            boolean begins = line.isBlank() || !isText || ITEM.matcher(line).find();
            if (begins) {
                if (words.size() > MAXIMUM_WORDS) {
                    found.add(String.join(" ", words.subList(0, 5)));
                }
                words.clear();
            }
            if (isText && !line.isBlank()) {
                words.addAll(List.of(ITEM.matcher(line).replaceFirst("").strip().split("\\s+")));
            }
            isCode ^= isFence;
        }
        return found;
    }
}
