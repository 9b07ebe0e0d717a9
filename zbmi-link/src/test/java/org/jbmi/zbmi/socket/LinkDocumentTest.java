package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page on the wire says what the frames of a link are. */
@Timeout(30)
class LinkDocumentTest {
    private static final Path PAGE = Path.of("..", "docs", "wire", "zbmi.md");

    @Test
    void theTableNamesEveryFrameAndItsKind() throws Exception {
        Map<String, Integer> inCode = new TreeMap<>();
        for (Field field : LinkFrame.class.getFields()) {
            boolean isKind =
                    Modifier.isStatic(field.getModifiers())
                            && !field.getName().equals("VERSION")
                            && !field.getName().endsWith("_BYTES");
            if (isKind) {
                inCode.put(field.getName(), field.getInt(null));
            }
        }
        Map<String, Integer> inPage = new TreeMap<>();
        Pattern row = Pattern.compile("^\\| ([A-Z]+) \\| (\\d+) \\|", Pattern.MULTILINE);
        Matcher rows = row.matcher(Files.readString(PAGE));
        while (rows.find()) {
            inPage.put(rows.group(1), Integer.parseInt(rows.group(2)));
        }
        assertThat(inPage).isEqualTo(inCode).hasSize(11);
    }

    @Test
    void thePageHasTheVersionAndTheLongestFrame() throws Exception {
        assertThat(Files.readString(PAGE))
                .contains("Link version " + LinkFrame.VERSION + ".")
                .contains("16 to " + LinkFrame.MAX_FRAME_BYTES)
                .contains("up to " + LinkFrame.MAX_DATA_BYTES + " bytes of payload")
                .contains("at most " + LinkHandshake.MAX_BYTES + " bytes long");
    }
}
