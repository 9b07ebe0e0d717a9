package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** Questions to a server. */
@Timeout(60)
class ZoidAdminTest {
    /** More than the contexts of an instance. */
    private static final int TIMES = 20;

    @TempDir Path folder;

    @Test
    void aWrongAddressKeepsNoContextOfTheInstance() {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults())) {
            for (int i = 0; i < TIMES; i++) {
                assertThatThrownBy(() -> ZoidAdmin.of(setup.clientBmi, "wrong"))
                        .isInstanceOf(BmiException.class);
                assertThatThrownBy(() -> new JobRun(setup.clientBmi, "wrong", job(), out(), out()))
                        .isInstanceOf(BmiException.class);
            }
            try (ZoidAdmin admin = ZoidAdmin.of(setup.clientBmi, setup.address())) {
                assertThat(admin.plugins().trouble()).isEmpty();
            }
        }
    }

    private static JobRun.Wishes job() {
        return new JobRun.Wishes(1, 0, List.of("true"), List.of(), null);
    }

    private static PrintStream out() {
        return new PrintStream(PrintStream.nullOutputStream());
    }
}
