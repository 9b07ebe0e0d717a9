package org.jbmi.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.Options;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoid.ZoidOptions;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The page that leads from C to Java agrees with the code. */
class CMappingTest {
    /** Every function of both C variants; macros count. */
    private static final List<String> FUNCTIONS =
            List.of(
                    "BMI_initialize",
                    "BMI_finalize",
                    "BMI_open_context",
                    "BMI_close_context",
                    "BMI_addr_lookup",
                    "BMI_addr_rev_lookup",
                    "BMI_addr_rev_lookup_unexpected",
                    "BMI_query_addr_range",
                    "BMI_post_send",
                    "BMI_post_recv",
                    "BMI_post_sendunexpected",
                    "BMI_post_sendunexpected_class",
                    "BMI_post_send_list",
                    "BMI_post_recv_list",
                    "BMI_post_sendunexpected_list",
                    "BMI_post_sendunexpected_list_class",
                    "BMI_test",
                    "BMI_testsome",
                    "BMI_testcontext",
                    "BMI_testunexpected",
                    "BMI_testunexpected_class",
                    "BMI_unexpected_free",
                    "BMI_memalloc",
                    "BMI_memfree",
                    "BMI_cancel",
                    "BMI_set_info",
                    "BMI_get_info",
                    "bmi_status_string",
                    "bmi_errno_to_pvfs");

    private final String page = read();

    private static String read() {
        try {
            return Documents.read("docs/c-mapping.md");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void everyFunctionHasItsRow() {
        List<String> found = new ArrayList<>();
        for (List<String> row : Documents.rows(page)) {
            if (row.size() == 4 && row.get(0).matches("`(BMI|bmi)_\\w+`")) {
                found.add(row.get(0).replace("`", ""));
            }
        }
        assertThat(found).containsExactlyElementsOf(FUNCTIONS);
    }

    @Test
    void everyOptionHasItsRowWithBothNumbers() throws IllegalAccessException {
        Map<String, String> constants = new HashMap<>();
        for (Class<?> home : List.of(Options.class, TcpOptions.class, ZoidOptions.class)) {
            for (Field field : home.getFields()) {
                if (field.get(null) instanceof Option<?> option) {
                    constants.put(option.name(), home.getSimpleName() + "." + field.getName());
                }
            }
        }
        List<List<String>> expected = new ArrayList<>();
        List<Option<?>> options;
        try (Bmi bmi = Bmi.open()) {
            options = bmi.options();
        }
        for (Option<?> option : options) {
            expected.add(
                    List.of(
                            number(option.standaloneNumber()),
                            number(option.orangeFsNumber()),
                            "`" + option.name() + "`",
                            "`" + constants.get(option.name()) + "`",
                            "`" + option.type().getSimpleName() + "`",
                            option.settable() ? "yes" : "no",
                            option.gettable() ? "yes" : "no"));
        }
        assertThat(Documents.rows(page))
                .filteredOn(row -> row.size() == 8 && row.get(0).matches("\\d+|-"))
                .map(row -> row.subList(0, 7))
                .containsExactlyElementsOf(expected);
    }

    private static String number(int number) {
        return number < 0 ? "-" : Integer.toString(number);
    }

    @Test
    void everyErrorCodeHasItsRowWithItsValue() {
        List<List<String>> expected = new ArrayList<>();
        for (ErrorCode code : ErrorCode.values()) {
            if (code.isSuccess()) {
                continue;
            }
            expected.add(
                    List.of(
                            Integer.toString(code.value() & 0x7f),
                            "`" + ErrorCode.statusString(code.negativeValue()) + "`",
                            Integer.toString(code.value()),
                            "`0x" + Integer.toHexString(code.value()) + "`",
                            "`ErrorCode." + code.name() + "`"));
        }
        assertThat(Documents.rows(page))
                .filteredOn(row -> row.size() == 6 && row.get(0).matches("\\d+"))
                .map(row -> row.subList(0, 5))
                .containsExactlyElementsOf(expected);
    }

    @Test
    void everyJavaNameExists() {
        assertThat(Documents.missingMembers(page)).isEmpty();
        assertThat(Documents.code(page))
                .filteredOn(code -> code.matches("[A-Z][A-Za-z]+\\.\\w+"))
                .hasSizeGreaterThan(100);
    }
}
