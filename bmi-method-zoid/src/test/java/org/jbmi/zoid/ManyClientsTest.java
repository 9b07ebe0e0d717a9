package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Clients that come all at once: each is attached when it is its turn. */
@Timeout(120)
class ManyClientsTest {
    private static final int CLIENTS = 100;

    private ZoidWorld world;

    @AfterEach
    void close() {
        world.close();
    }

    private Bmi attached(CyclicBarrier start) throws Exception {
        Bmi client =
                world.builder()
                        .knob("bmi.maxOperations", "64")
                        .knob("zoid.attachTimeoutMs", "60000")
                        .open();
        start.await();
        client.lookup("zoid://");
        return client;
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    void allAreAttached(String host) throws Exception {
        world = new ZoidWorld(host).daemonKnob("zbmi.maxClients", Integer.toString(CLIENTS));
        world.startHost();
        Bmi server = world.server();
        CyclicBarrier start = new CyclicBarrier(CLIENTS);
        List<FutureTask<Bmi>> attaching = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            FutureTask<Bmi> task = new FutureTask<>(() -> attached(start));
            attaching.add(task);
            Thread.ofPlatform().start(task);
        }
        for (FutureTask<Bmi> task : attaching) {
            world.keep(task.get(60, TimeUnit.SECONDS));
        }
        assertThat(world.hostCount("zbmi.sessions.attached")).isGreaterThan(CLIENTS);
        assertThat(server.isClosed()).isFalse();
    }
}
