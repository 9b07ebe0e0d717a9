package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages allocate nothing, not even what the second compiler would do away with. Measured in a
 * process of its own that has the first one only, so that no other test decides what is compiled.
 */
@Timeout(280)
class ZoidAllocationTest {
    @ParameterizedTest
    @ValueSource(strings = {"expected", "unexpected"})
    void messagesOfAllWays(String kind) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(ChildJvm.java());
        // The modules that are open here and the size of the heap, but not the compiler.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--") || argument.startsWith("-Xmx"))
                .forEach(command::add);
        // The second compiler does away with objects, but beside others it takes minutes until it
        // comes: without it nothing is hidden, and nothing is waited for.
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(AllocationMain.class.getName());
        command.add(kind);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            byte[] said = process.getInputStream().readAllBytes();
            String text = new String(said, StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(text).isZero();
            assertThat(text).contains("nothing");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
