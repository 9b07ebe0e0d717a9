package org.jbmi.testsuite;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.Option;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/**
 * The objects that one case makes: its environment, instances, contexts, memory and threads. Closes
 * them after the case, and fails if the library leaves anything behind: pending operations, held
 * messages, blocks in use, files.
 */
public final class Scene implements AutoCloseable {
    private static final int HELLO_TAG = 0x6d656574;

    private final MethodFixture fixture;
    private final long seed;
    private final boolean full;
    private final Random random;
    private final Arena arena = Arena.ofShared();
    private final List<Bmi> instances = new ArrayList<>();
    private final HelperThreads helpers = new HelperThreads();
    private final List<Peer> peers = new ArrayList<>();
    private final RestCheck rest;
    private EnvironmentSettings settings = EnvironmentSettings.DEFAULT;
    private @Nullable Environment environment;
    private @Nullable Bmi server;
    private boolean restChecked = true;

    Scene(MethodFixture fixture, long seed, boolean full) {
        this.fixture = fixture;
        this.seed = seed;
        this.full = full;
        this.random = new Random(seed);
        this.rest = new RestCheck(fixture);
    }

    /** {@return the fixture of the method at hand} */
    public MethodFixture fixture() {
        return fixture;
    }

    /**
     * Whether the method can do something.
     *
     * @param capability what
     * @return true if its fixture says so
     */
    public boolean can(Capability capability) {
        return fixture.capabilities().contains(capability);
    }

    /**
     * One of the numbers of this case.
     *
     * @param amount which
     * @return how many of it this run takes
     */
    public int amount(Amount amount) {
        return full ? amount.full() : amount.quick();
    }

    /**
     * Ends the case, which then counts as skipped.
     *
     * @param reason why it cannot be run
     * @return never; to be thrown, so that the compiler knows
     */
    public static RuntimeException skip(String reason) {
        return new CaseRunner.Skipped(reason);
    }

    /**
     * {@return a generator for the case's own thread; its seed stands in the report of a failure}
     */
    public Random random() {
        return random;
    }

    /** {@return the seed of this run} */
    public long seed() {
        return seed;
    }

    /**
     * Asks for sizes; before anything is made.
     *
     * @param wanted sizes
     */
    public void settings(EnvironmentSettings wanted) {
        Expect.that(environment == null, "settings come before the environment");
        settings = wanted;
    }

    /** {@return whether it is too late for settings, since the environment was made} */
    public boolean hasEnvironment() {
        return environment != null;
    }

    /** Announces that the case leaves operations or messages behind on purpose. */
    public void leavesThingsBehind() {
        restChecked = false;
    }

    /**
     * Announces that an instance meets messages against the protocol, as no other one may.
     *
     * @param bmi an instance
     * @param count how many it will have met at the end, if the method counts them
     */
    public void expectsFaults(Bmi bmi, long count) {
        rest.expectFaults(bmi, count);
    }

    /** {@return the environment, made when it is first asked for} */
    public Environment environment() {
        Environment made = environment;
        if (made == null) {
            try {
                made = fixture.open(settings);
            } catch (Exception e) {
                throw new IllegalStateException("The fixture's environment cannot be made.", e);
            }
            environment = made;
        }
        return made;
    }

    /** {@return server 0 of this case, opened when it is first asked for} */
    public Bmi server() {
        Bmi opened = server;
        if (opened == null) {
            opened = newServer(0, builder -> {});
            server = opened;
        }
        return opened;
    }

    /**
     * Opens the server of this case in its own way.
     *
     * @param tweak changes the builder
     * @return server 0
     */
    public Bmi server(Consumer<BmiBuilder> tweak) {
        Bmi opened = newServer(0, tweak);
        server = opened;
        return opened;
    }

    /**
     * Opens another server.
     *
     * @param number which
     * @param tweak changes the builder
     * @return an instance
     */
    public Bmi newServer(int number, Consumer<BmiBuilder> tweak) {
        BmiBuilder builder = environment().serverBuilder(number);
        tweak.accept(builder);
        return keep(builder.open());
    }

    /** {@return a new client} */
    public Bmi newClient() {
        return newClient(builder -> {});
    }

    /**
     * Opens a client in its own way.
     *
     * @param tweak changes the builder
     * @return an instance
     */
    public Bmi newClient(Consumer<BmiBuilder> tweak) {
        BmiBuilder builder = environment().clientBuilder();
        tweak.accept(builder);
        return keep(builder.open());
    }

    /**
     * Closes an instance at the end, if the case does not do it.
     *
     * @param bmi an instance
     * @return the same
     */
    public Bmi keep(Bmi bmi) {
        synchronized (instances) {
            instances.add(bmi);
        }
        rest.watch(bmi);
        return bmi;
    }

    /**
     * {@return a new peer in a process of its own, which has joined the environment and opened
     * nothing yet}
     */
    public Peer peer() {
        return peer(0);
    }

    /**
     * Starts a peer in a process of its own, with a bound on its open files.
     *
     * @param descriptors how many; 0 for what is usual
     * @return a peer that has joined the environment and opened nothing yet
     */
    public Peer peer(int descriptors) {
        Peer peer = Peer.start(fixture, environment(), descriptors);
        peers.add(peer);
        return peer;
    }

    /** {@return the broker of an environment that has one} */
    public Broker broker() {
        Broker broker = environment().broker();
        if (broker == null) {
            throw new IllegalStateException("The fixture's environment has no broker.");
        }
        return broker;
    }

    /** {@return the server and a new client that have met} */
    public Link link() {
        return link(newClient());
    }

    /**
     * Lets the server and a client meet, by an unexpected message.
     *
     * @param client an instance
     * @return both ends, with contexts of their own
     */
    public Link link(Bmi client) {
        return link(server(), environment().serverAddress(0), client);
    }

    /**
     * Lets a server and a client meet.
     *
     * @param listening the server's instance
     * @param address of the server
     * @param client another instance
     * @return both ends, with contexts of their own
     */
    public Link link(Bmi listening, String address, Bmi client) {
        End up = new End(client, address);
        Posted hello = up.sendUnexpected(pattern(8, client.hashCode()), HELLO_TAG, 0);
        UnexpectedMessages messages = receiveUnexpected(listening, hello);
        Expect.equal(messages.tag(0), HELLO_TAG, "the tag of the first message");
        PeerAddress back = messages.peer(0);
        messages.free(0);
        return new Link(up, new End(listening, back));
    }

    /**
     * Waits for one unexpected message of class 0, and meanwhile asks for the outcome of its send.
     *
     * @param receiver an instance
     * @param send the operation
     * @return one message
     */
    public UnexpectedMessages receiveUnexpected(Bmi receiver, Posted send) {
        return receiveUnexpected(receiver, send, 0);
    }

    /**
     * Waits for one unexpected message, and meanwhile asks for the outcome of its send.
     *
     * @param receiver an instance
     * @param send the operation
     * @param messageClass the class to ask for
     * @return one message
     */
    public UnexpectedMessages receiveUnexpected(Bmi receiver, Posted send, int messageClass) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        Expect.eventually(
                () -> {
                    boolean sent = send.isDone(0);
                    return receiver.testUnexpected(messageClass, messages, sent ? 5 : 0) == 1;
                },
                "the unexpected message arrives");
        send.succeeds(messages.sizeBytes(0));
        return messages;
    }

    /**
     * Memory that every thread may use.
     *
     * @param sizeBytes how much
     * @return zeros
     */
    public MemorySegment buffer(long sizeBytes) {
        return arena.allocate(Math.max(sizeBytes, 1), 64).asSlice(0, sizeBytes);
    }

    /**
     * Memory from an end's memalloc.
     *
     * @param end who allocates
     * @param sizeBytes how much
     * @return memory, to be freed by the case
     */
    public static MemorySegment memalloc(End end, long sizeBytes) {
        MemorySegment memory = end.peer().allocate(sizeBytes);
        if (memory == null) {
            throw new ConformanceFailure("memalloc has no " + sizeBytes + " bytes.");
        }
        return memory;
    }

    /**
     * Memory with bytes that follow from a number.
     *
     * @param sizeBytes how much
     * @param number any
     * @return bytes that differ from place to place and from number to number
     */
    public MemorySegment pattern(long sizeBytes, long number) {
        MemorySegment memory = buffer(sizeBytes);
        fill(memory, number);
        return memory;
    }

    /**
     * Fills memory with bytes that follow from a number.
     *
     * @param memory any
     * @param number any
     */
    public static void fill(MemorySegment memory, long number) {
        long state = number * 0x9e3779b97f4a7c15L + 1;
        long i = 0;
        for (; i + Long.BYTES <= memory.byteSize(); i += Long.BYTES) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, i, state ^ (state >>> 29));
        }
        for (; i < memory.byteSize(); i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (state >>> 33));
        }
    }

    /**
     * Runs something in another thread that ends with the case.
     *
     * @param name of the thread
     * @param action what to do
     * @param <T> what comes of it
     * @return the task; ask it for its result
     */
    public <T> FutureTask<T> inThread(String name, Callable<T> action) {
        return helpers.start(name, action);
    }

    /**
     * How long a post may wait for its immediate completion, for methods that have the option.
     *
     * @param bmi any instance
     * @return an option with milliseconds
     */
    public static Option<Integer> postTimeoutMs(Bmi bmi) {
        return bmi.option("BMI_ZOID_POST_TIMEOUT", Integer.class);
    }

    /**
     * The largest expected message.
     *
     * @param end any
     * @return bytes
     */
    public static long maxExpected(End end) {
        return end.bmi().getOption(end.peer(), Options.MAX_EXPECTED_BYTES);
    }

    /**
     * The largest unexpected message.
     *
     * @param end any
     * @return bytes
     */
    public static long maxUnexpected(End end) {
        return end.bmi().getOption(end.peer(), Options.MAX_UNEXPECTED_BYTES);
    }

    /**
     * A counter's value.
     *
     * @param bmi an instance
     * @param label its name; one that the instance has
     * @return the value
     */
    public static long counter(Bmi bmi, String label) {
        return Objects.requireNonNull(bmi.counters().find(label), "no counter " + label).get();
    }

    /** Checks that nothing is left, and closes everything. */
    @Override
    public void close() {
        tidyUp(restChecked);
    }

    /** Closes everything after a failure or a skip; what instances hold by then does not count. */
    void abandon() {
        tidyUp(false);
    }

    private void tidyUp(boolean check) {
        List<Throwable> failures = new ArrayList<>();
        peers.forEach(peer -> attempt(peer::close, failures));
        attempt(helpers::join, failures);
        List<Bmi> open;
        synchronized (instances) {
            open = new ArrayList<>(instances);
        }
        if (check) {
            open.forEach(bmi -> attempt(() -> rest.expectAtRest(bmi), failures));
        }
        Environment made = environment;
        if (made != null && check) {
            attempt(() -> RestCheck.expectNothingHeld(made), failures);
        }
        if (made != null) {
            attempt(() -> Expect.equal(made.faults(), List.of(), "what broke a rule"), failures);
        }
        open.reversed().forEach(bmi -> attempt(() -> closeWholly(bmi), failures));
        if (check) {
            attempt(rest::expectNoLostBlocks, failures);
        }
        attempt(rest::expectNoFaults, failures);
        if (made != null) {
            attempt(made::close, failures);
            attempt(() -> Expect.equal(made.leftovers(), List.of(), "what is left"), failures);
        }
        attempt(arena::close, failures);
        if (!failures.isEmpty()) {
            ConformanceFailure failure =
                    new ConformanceFailure("The environment is not clean: " + failures.getFirst());
            failures.forEach(failure::addSuppressed);
            throw failure;
        }
    }

    private static void attempt(Runnable action, List<Throwable> failures) {
        try {
            action.run();
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    private static void closeWholly(Bmi bmi) {
        while (!bmi.isClosed()) {
            bmi.close();
        }
    }
}
