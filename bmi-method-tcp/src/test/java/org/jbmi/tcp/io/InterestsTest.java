package org.jbmi.tcp.io;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** A check that there is memory, once the JVM has compiled it with all that it can leave out. */
@Timeout(60)
class InterestsTest {
    private static final int WARM_UP_CALLS = 200_000;

    @Test
    void aLackOfMemoryIsFoundAlsoOnceTheCheckIsCompiled() throws Exception {
        List<String> options = List.of("-XX:TieredStopAtLevel=4", "-Xbatch");
        assertThat(FullHeap.outputOf(Probes.class, "16m", options)).isEqualTo("found");
    }

    static final class Probes {
        private static boolean findsMemory(Interests interests) {
            try {
                interests.needMemory();
                return true;
            } catch (OutOfMemoryError e) {
                return false;
            }
        }

        public static void main(String[] args) {
            Interests interests = new Interests();
            boolean hasMemory = true;
            for (int i = 0; i < WARM_UP_CALLS; i++) {
                hasMemory &= findsMemory(interests);
            }
            Object[] all = new Object[1];
            all[0] = FullHeap.fill();
            boolean isFound = !findsMemory(interests);
            all[0] = null;
            System.out.print(hasMemory && isFound ? "found" : "not found");
        }
    }
}
