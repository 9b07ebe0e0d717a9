package org.jbmi.testsuite.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.IOException;
import java.nio.channels.Pipe;

/** What a test leaves open is found. */
@EnabledOnOs(OS.LINUX)
@Timeout(30)
class DescriptorWatchTest {
    @Test
    void anOpenPipeIsFoundUntilItIsClosed() throws IOException {
        DescriptorWatch watch = new DescriptorWatch();
        Pipe pipe = Pipe.open();
        try {
            assertThat(watch.newOnes()).filteredOn(each -> each.startsWith("pipe:")).hasSize(2);
        } finally {
            pipe.sink().close();
            pipe.source().close();
        }
        assertThat(watch.newOnes()).isEmpty();
    }
}
