package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;

/** What tests of a server with a Java client share. */
abstract class ServerFeature {
    static final SettableAttributes PLAIN = SettableAttributes.ofMode(0644);

    @TempDir Path folder;

    static Limits limits(long memoryBytes, int workers) {
        return new Limits(256, memoryBytes, 1 << 20, workers, 20_000, 100, 128 << 20);
    }

    /** A client with a BMI of its own. */
    record Client(Bmi bmi, ZoidfsClient zoidfs) implements AutoCloseable {
        static Client of(TestServer server, ClientOptions options) {
            Bmi bmi = Bmi.open();
            return new Client(bmi, ZoidfsClient.connect(bmi, server.address(), options));
        }

        @Override
        public void close() {
            zoidfs.close();
            bmi.close();
        }
    }

    static MemorySegment random(int size, long seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return MemorySegment.ofArray(bytes);
    }

    static void assertStatus(int status, Failing failing) {
        assertThatThrownBy(failing::run)
                .isInstanceOfSatisfying(
                        ZoidfsException.class, e -> assertThat(e.status()).isEqualTo(status));
    }

    /** An operation that fails. */
    interface Failing {
        void run() throws Exception;
    }
}
