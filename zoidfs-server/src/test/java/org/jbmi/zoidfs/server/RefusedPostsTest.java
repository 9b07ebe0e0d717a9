package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A message that the server cannot post, for want of memory: its client ends at once, and others
 * are served. The server has a place for one call only.
 */
@Timeout(60)
class RefusedPostsTest extends ServerFeature {
    /** No client waits as long as this in a test that passes. */
    private static final long LONG_MS = 600_000;

    private static final String REPLY = "Call";
    private static final String DATA = "DataMove";

    /** What becomes of a post. */
    enum Fault {
        REFUSED,
        OUT_OF_MEMORY
    }

    /** The call that fails: its name, and for a post what it is for. */
    private record Planned(Fault fault, String call, @Nullable String subject) {
        boolean isOf(Method method, Object[] arguments) {
            return method.getName().equals(call)
                    && (subject == null || arguments[3].getClass().getSimpleName().equals(subject));
        }
    }

    private final AtomicReference<Planned> planned = new AtomicReference<>();
    private Bmi real;
    private ZoidfsServer server;
    private Client client;
    private FileHandle file;

    @BeforeEach
    void start() throws IOException {
        real =
                Bmi.builder()
                        .automaticReferences(true)
                        .knob("tcp.bindSpecific", "true")
                        .listen("tcp://127.0.0.1:0")
                        .open();
        server =
                ZoidfsServer.serve(
                        failing(Bmi.class, real),
                        ExportSettings.of(folder, ExportKey.random()),
                        Dialect.MAIN,
                        new Limits(1, 4 << 20, 1 << 20, 2, LONG_MS, 100, 128 << 20));
        client = client();
        file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
        client.zoidfs().write(file, random(1_000, 1), 0);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
        real.close();
    }

    private Client client() {
        Bmi bmi = Bmi.open();
        String address = "tcp://127.0.0.1:" + real.getOption(TcpOptions.PORT);
        ClientOptions options = ClientOptions.DEFAULT.withTimeoutMs(LONG_MS);
        return new Client(bmi, ZoidfsClient.connect(bmi, address, options));
    }

    private <T> T failing(Class<T> type, T target) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            Planned next = planned.get();
                            if (next != null && next.isOf(method, arguments)) {
                                planned.set(null);
                                if (next.fault == Fault.OUT_OF_MEMORY) {
                                    throw new OutOfMemoryError("planted by the test");
                                }
                                return (long) ErrorCode.ENOBUFS.negativeValue();
                            }
                            return invoke(method, target, arguments);
                        }));
    }

    private Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            Object result = method.invoke(target, arguments);
            return result instanceof CompletionContext context
                    ? failing(CompletionContext.class, context)
                    : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void assertEnds(Planned fault, Failing call) throws IOException {
        planned.set(fault);
        assertThatThrownBy(call::run).isInstanceOf(ZoidfsException.class);
        assertThat(planned).hasValue(null);
        Await.until("the end of all calls", () -> server.calls() == 0);
        try (Client other = client()) {
            assertThat(other.zoidfs().getAttributes(file).size()).isEqualTo(1_000);
            assertThat(other.zoidfs().read(file, random(1_000, 2), 0)).isEqualTo(1_000);
        }
    }

    /** A request that the server cannot take. */
    @Test
    void aRequest() throws IOException {
        assertEnds(
                new Planned(Fault.OUT_OF_MEMORY, "unexpectedFree", null),
                () -> client.zoidfs().getAttributes(file));
    }

    @ParameterizedTest
    @EnumSource
    void aReply(Fault fault) throws IOException {
        assertEnds(
                new Planned(fault, "postSend", REPLY), () -> client.zoidfs().getAttributes(file));
    }

    @ParameterizedTest
    @EnumSource
    void theReplyToARead(Fault fault) throws IOException {
        assertEnds(
                new Planned(fault, "postSend", REPLY),
                () -> client.zoidfs().read(file, random(1_000, 2), 0));
    }

    @ParameterizedTest
    @EnumSource
    void aMessageOfARead(Fault fault) throws IOException {
        assertEnds(
                new Planned(fault, "postSend", DATA),
                () -> client.zoidfs().read(file, random(1_000, 2), 0));
    }

    @ParameterizedTest
    @EnumSource
    void aMessageOfAWrite(Fault fault) throws IOException {
        assertEnds(
                new Planned(fault, "postReceive", DATA),
                () -> client.zoidfs().write(file, random(500, 3), 0));
    }
}
