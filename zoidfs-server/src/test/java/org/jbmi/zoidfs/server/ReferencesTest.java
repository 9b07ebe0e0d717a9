package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A client that goes is forgotten with its last reference, so its messages must be free before. */
@Timeout(60)
class ReferencesTest extends ServerFeature {
    private static final int CLIENTS = 40;
    private static final int TAG = 2;

    /** The client of each message that the server has, by where the message is. */
    private final Map<Long, Long> clients = new ConcurrentHashMap<>();

    private final AtomicInteger given = new AtomicInteger();
    private final AtomicInteger freed = new AtomicInteger();
    private final AtomicInteger freedTooLate = new AtomicInteger();

    /** What is done instead of a call, with the call itself at hand. */
    private interface Instead {
        Object of(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T watched(Class<T> type, Instead instead) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            try {
                                return instead.of(method, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    private UnexpectedListener watched(UnexpectedListener real) {
        return watched(
                UnexpectedListener.class,
                (method, arguments) -> {
                    Object result = method.invoke(real, arguments);
                    if (method.getName().equals("test")) {
                        UnexpectedMessages messages = (UnexpectedMessages) arguments[0];
                        for (int i = 0; i < (int) result; i++) {
                            long where = messages.payload(i).address();
                            clients.put(where, messages.peer(i).id());
                            given.incrementAndGet();
                        }
                    }
                    return result;
                });
    }

    private Bmi watched(Bmi real) {
        return watched(
                Bmi.class,
                (method, arguments) -> {
                    if (method.getName().equals("unexpectedFree")) {
                        Long client = clients.remove(((MemorySegment) arguments[0]).address());
                        freed.incrementAndGet();
                        if (client == null || real.findPeer(client) == null) {
                            freedTooLate.incrementAndGet();
                        }
                    }
                    Object result = method.invoke(real, arguments);
                    return result instanceof UnexpectedListener listener
                            ? watched(listener)
                            : result;
                });
    }

    @Test
    void messagesAreFreeBeforeTheReferenceToTheirClientGoes() throws Exception {
        ExportSettings export = ExportSettings.of(folder, ExportKey.random());
        byte[] lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path("/"), null, null, Hints.NONE)
                        .toByteArray();
        try (Bmi real =
                        Bmi.builder()
                                .automaticReferences(true)
                                .knob("tcp.bindSpecific", "true")
                                .listen("tcp://127.0.0.1:0")
                                .open();
                ZoidfsServer server =
                        ZoidfsServer.serve(watched(real), export, Dialect.MAIN, Limits.DEFAULT)) {
            for (int i = 0; i < CLIENTS; i++) {
                try (RawClient client = new RawClient(real.getOption(TcpOptions.PORT))) {
                    client.sendUnexpected(TAG, i % 2 == 0 ? lookup : new byte[] {1, 2, 3});
                    if (i % 4 < 2) {
                        client.receive(TAG);
                    }
                }
            }
            Await.until("all messages", () -> given.get() == CLIENTS);
            Await.until("the end of all calls", () -> server.calls() == 0);
            assertThat(freed).hasValue(CLIENTS);
            assertThat(freedTooLate).hasValue(0);
            assertThat(clients).isEmpty();
        }
    }
}
