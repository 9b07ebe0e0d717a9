package org.jbmi.testsuite.model;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.MethodFixture;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.RestCheck;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** A server and some clients of a method, connected, on which programs run. */
public final class Stage implements AutoCloseable {
    private final MethodFixture fixture;
    private final Environment environment;
    private final RestCheck rest;
    private final Arena arena = Arena.ofShared();
    private final List<Bmi> instances = new ArrayList<>();
    private final List<End> clientEnds = new ArrayList<>();
    private final List<End> serverEnds = new ArrayList<>();

    /**
     * Opens an environment, a server and clients, and lets them meet.
     *
     * @param fixture of the method
     * @param settings the sizes in force
     * @param clients how many
     */
    public Stage(MethodFixture fixture, EnvironmentSettings settings, int clients) {
        this.fixture = fixture;
        try {
            environment = fixture.open(settings);
        } catch (Exception e) {
            throw new IllegalStateException("The fixture's environment cannot be made.", e);
        }
        rest = new RestCheck(fixture);
        boolean set = false;
        try {
            Bmi server = keep(environment.serverBuilder(0).open());
            CompletionContext serverContext = server.openContext();
            for (int i = 0; i < clients; i++) {
                meet(server, serverContext);
            }
            set = true;
        } finally {
            if (!set) {
                release();
            }
        }
    }

    private Bmi keep(Bmi bmi) {
        instances.add(bmi);
        rest.watch(bmi);
        return bmi;
    }

    private void meet(Bmi server, CompletionContext serverContext) {
        Bmi client = keep(environment.clientBuilder().open());
        End up = new End(client, environment.serverAddress(0));
        clientEnds.add(up);
        Posted hello = up.sendUnexpected(arena.allocate(8), clientEnds.size(), 0);
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        Expect.eventually(
                () -> {
                    hello.isDone(0);
                    return server.testUnexpected(one, 1) == 1;
                },
                "the clients meet the server");
        // A handle that is in use must stay when its client leaves.
        one.peer(0).retain();
        serverEnds.add(new End(server, serverContext, one.peer(0)));
        one.free(0);
        hello.succeeds(8);
    }

    /** {@return the method's fixture} */
    public MethodFixture fixture() {
        return fixture;
    }

    /** {@return whether a send may be complete before its receive was posted} */
    public boolean sendsAreLocal() {
        return fixture.capabilities().contains(Capability.LOCAL_SENDS);
    }

    /**
     * The end that sends or receives on a way.
     *
     * @param way any
     * @param receives whether the receiving end is asked for
     * @return an end
     */
    public End end(Way way, boolean receives) {
        return (way.up() == receives ? serverEnds : clientEnds).get(way.client());
    }

    /**
     * A client's end.
     *
     * @param client which
     * @return its end
     */
    public End client(int client) {
        return clientEnds.get(client);
    }

    /**
     * The server's end towards a client.
     *
     * @param client which
     * @return its end
     */
    public End server(int client) {
        return serverEnds.get(client);
    }

    /** {@return how many clients there are, open or closed} */
    public int clients() {
        return clientEnds.size();
    }

    /** {@return memory for all threads that lives as long as this} */
    public Arena arena() {
        return arena;
    }

    /** Closes everything, and fails if anything is left behind. */
    @Override
    public void close() {
        List<String> faults;
        try {
            faults = environment.faults();
        } finally {
            release();
        }
        Expect.equal(faults, List.of(), "what broke a rule");
        rest.expectNoLostBlocks();
        rest.expectNoFaults();
        Expect.equal(environment.leftovers(), List.of(), "what is left");
    }

    private void release() {
        try {
            closeUpTo(instances.size());
        } finally {
            try {
                environment.close();
            } finally {
                arena.close();
            }
        }
    }

    private void closeUpTo(int count) {
        if (count > 0) {
            try {
                instances.get(count - 1).close();
            } finally {
                closeUpTo(count - 1);
            }
        }
    }
}
