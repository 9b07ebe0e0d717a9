package org.jbmi.zbmi.protocol;

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

/** The page on the wire says what the code does. */
@Timeout(30)
class WireDocumentTest {
    private static final Path PAGE = Path.of("..", "docs", "wire", "zbmi.md");

    @Test
    void theTablesNameEveryMessageAndItsKind() throws Exception {
        Map<String, Integer> inCode = new TreeMap<>();
        Class<?>[] families = {
            ClientRequests.class, ClientEvents.class, ServerRequests.class, ServerEvents.class
        };
        for (Class<?> family : families) {
            for (Field field : family.getFields()) {
                boolean isConstant = Modifier.isStatic(field.getModifiers());
                if (isConstant && field.getType() == int.class && isKind(family, field)) {
                    inCode.put(field.getName(), field.getInt(null));
                }
            }
        }
        Map<String, Integer> inPage = new TreeMap<>();
        Pattern row = Pattern.compile("^\\| ([A-Z_]+) \\| 0x([0-9a-f]{4}) \\|", Pattern.MULTILINE);
        Matcher rows = row.matcher(Files.readString(PAGE));
        while (rows.find()) {
            inPage.put(rows.group(1), Integer.parseInt(rows.group(2), 16));
        }
        assertThat(inPage).isEqualTo(inCode).hasSize(33);
    }

    private static boolean isKind(Class<?> family, Field field) throws Exception {
        int value = field.getInt(null);
        int base =
                family == ClientRequests.class
                        ? 0
                        : family == ClientEvents.class
                                ? 0x100
                                : family == ServerRequests.class ? 0x200 : 0x300;
        boolean isOther = field.getName().startsWith("MAX_") || field.getName().endsWith("_BYTES");
        return value > base && value < base + 0x100 && !isOther;
    }

    @Test
    void thePageHasTheVersionInForce() throws Exception {
        assertThat(Files.readString(PAGE)).contains("Version " + SegmentMap.PROTOCOL_VERSION + ".");
    }
}
