package org.jbmi.tools.zoidfs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.Timestamp;
import org.junit.jupiter.api.Test;

class ListCommandTest {
    private static String line(int nanos) {
        Timestamp time = new Timestamp(1_767_225_600, nanos);
        Attributes file =
                new Attributes(FileType.REGULAR, 0, 0644, 1, 0, 0, 6, 0, 0, 0, time, time, time);
        return ListCommand.line(file, "name");
    }

    @Test
    void namesStandBelowEachOther() {
        assertThat(line(0))
                .isEqualTo(
                        "-0644   1     0     0            6 2026-01-01T00:00:00.000000000Z name");
        assertThat(line(500_000_000)).hasSameSizeAs(line(0)).contains("00.500000000Z");
    }
}
