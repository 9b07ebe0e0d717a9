package org.jbmi.zbmi.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.junit.jupiter.api.Test;

import java.util.ServiceLoader;

class CommandChannelsTest {
    /** A kind of its own, so that no other test finds one that is broken. */
    interface Broken extends CommandChannelProvider {}

    /** Like a channel whose library is not on the class path. */
    public static final class CannotBeMade implements Broken {
        public CannotBeMade() {
            throw new NoClassDefFoundError("net/library/Queue");
        }

        @Override
        public String name() {
            return "broken";
        }

        @Override
        public PeerChannel open(PeerAttachment attachment, PeerEvents events) {
            throw new AssertionError();
        }
    }

    @Test
    void oneThatCannotBeMadeIsToldByItsNameAndReason() {
        ServiceLoader<Broken> providers = ServiceLoader.load(Broken.class);
        assertThatThrownBy(() -> CommandChannels.all(providers))
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ENOSYS))
                .hasMessageContaining("CannotBeMade")
                .hasMessageEndingWith("(java.lang.NoClassDefFoundError: net/library/Queue).");
    }
}
