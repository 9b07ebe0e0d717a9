package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A call leaves little to the collector, compiled or not. */
@Timeout(120)
class CallCostTest {
    static final List<String> METHODS = Setup.METHODS;

    private static final int ROUNDS = 300;

    /**
     * Four records of 24 bytes, and what the two sides keep of a call: 16 and 64 on the client, 80
     * and 24 on the server. zoid takes 40 more each time that one of its methods runs before the
     * second compiler has done its work.
     */
    private static final long MOST_BYTES = 4 * 24 + 16 + 64 + 80 + 24 + 40;

    @ParameterizedTest
    @FieldSource("METHODS")
    void aCallAllocatesItsRecordsAndLittleElse(String method) throws IOException {
        try (CallCost cost = new CallCost(method)) {
            CallCost.leastBytes(cost::call, ROUNDS);
            long byHand = CallCost.leastBytes(cost::messages, ROUNDS);
            long call = CallCost.leastBytes(cost::call, ROUNDS);
            System.out.println(method + ": " + call + " B a call, " + byHand + " B by hand");
            assertThat(call - byHand).isLessThanOrEqualTo(MOST_BYTES);
        }
    }

    /** In a process of its own, whose second compiler does its work; the tests run without it. */
    @ParameterizedTest
    @FieldSource("METHODS")
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
    void aCompiledCallAllocatesTwoHundredBytesAtMost(String method) throws Exception {
        Process process =
                new ProcessBuilder(
                                ChildJvm.java(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                CallCost.class.getName(),
                                method)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            String line = process.inputReader().readLine();
            System.out.println(line);
            Matcher bytes = Pattern.compile("(\\d+) B a call, (\\d+) B by hand").matcher(line);
            assertThat(bytes.find()).as(line).isTrue();
            assertThat(Long.parseLong(bytes.group(1)) - Long.parseLong(bytes.group(2)))
                    .isLessThanOrEqualTo(200);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
