package org.jbmi.tools.zoid;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.tools.cli.EndInOrder;
import org.jbmi.tools.cli.ToolException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a direction of packets ends; it needs no interface. */
@Timeout(60)
class TunCommandTest {
    /** Whoever starts the command again after a failure must see one. */
    @Test
    void anErrorEndsTheCommandAsAFailure() throws Exception {
        TunCommand command = new TunCommand();
        EndInOrder end = new EndInOrder();
        Thread direction =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        command.until(
                                                end,
                                                () -> {
                                                    throw new OutOfMemoryError("played");
                                                }));
        end.await();
        direction.join();
        assertThatThrownBy(command::status)
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("OutOfMemoryError: played");
    }
}
