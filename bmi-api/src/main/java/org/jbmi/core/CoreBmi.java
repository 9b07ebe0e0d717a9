package org.jbmi.core;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.WaitPolicy;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** One instance: owns everything, and is the only one that knows all parts. */
final class CoreBmi implements Bmi {
    private static final long NS_PER_MS = 1_000_000;

    private final BmiSettings settings;
    private final MethodRegistry registry = new MethodRegistry();
    private final Configuration configuration;
    private final Counters counters = Counters.inMemory();
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final WaiterPool waiters = new WaiterPool();
    private final CoreEvents events = new CoreEvents();
    private final OperationTable table;
    private final Progress progress;
    private final PeerTable peers;
    private final UnexpectedStore store;
    private final UnexpectedTests unexpectedTests;
    private final ContextTable contexts;
    private final CoreOptions options;
    private final CoreGauges gauges;
    private final Map<Class<?>, Object> shared = new ConcurrentHashMap<>();
    private final AtomicInteger owners = new AtomicInteger(1);
    private volatile boolean closing;
    private volatile boolean closed;

    CoreBmi(BmiSettings settings) {
        this.settings = settings;
        configuration = Configuration.resolve(registry.knobs(), settings.knobs());
        table = new OperationTable(configuration.get(CoreKnobs.MAX_OPERATIONS).intValue());
        progress = new Progress(deadlines, WaitPolicy.of(configuration));
        peers = new PeerTable(this, settings.automaticReferences());
        store = new UnexpectedStore(peers, progress);
        unexpectedTests = new UnexpectedTests(this, store, progress);
        contexts = new ContextTable(configuration.get(CoreKnobs.MAX_CONTEXTS).intValue());
        options = new CoreOptions(this, registry.options());
        gauges = new CoreGauges(counters, table, peers, store);
    }

    /** Activates what the builder asked for; on failure nothing stays open. */
    void start() {
        try {
            Map<String, List<String>> listens = new LinkedHashMap<>();
            for (String address : settings.listenAddresses()) {
                listens.computeIfAbsent(listenScheme(address), s -> new ArrayList<>()).add(address);
            }
            listens.forEach((scheme, addresses) -> registry.activate(this, scheme, addresses));
            for (String name : settings.methods()) {
                registry.activate(this, MethodRegistry.schemeOfMethod(name), List.of());
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private static String listenScheme(String address) {
        String scheme = MethodRegistry.schemeOf(address);
        if (scheme == null) {
            throw invalid("The listen address \"" + address + "\" has no scheme.");
        }
        return scheme;
    }

    @Override
    public CompletionContext openContext() {
        checkOpen();
        CoreContext context = contexts.add(this);
        if (context == null) {
            events.exhausted("contexts", null, 1);
            throw new BmiException(
                    ErrorCode.EBUSY, contexts.most() + " contexts are open; close one first.");
        }
        return context;
    }

    void closeContext(CoreContext context) {
        if (!closing) {
            cancelAll(context, System.nanoTime() + closeWaitNs());
        }
        context.queue().close();
        abandonAll(context);
        contexts.remove(context);
    }

    /** What a whole close may take, however many operations it ends. */
    private long closeWaitNs() {
        return configuration.get(CoreKnobs.CLOSE_WAIT_MS) * NS_PER_MS;
    }

    private void cancelAll(CoreContext context, long endNs) {
        int code = ErrorCode.ECANCEL.negativeValue();
        int[] moving = new int[1];
        table.forEach(
                operation -> {
                    long id = operation.id();
                    if (operation.context == context
                            && id != 0
                            && cancel(operation, id, code) == CancelOutcome.REQUESTED) {
                        moving[0]++;
                    }
                });
        if (moving[0] > 0) {
            awaitMovers(context, endNs);
        }
    }

    /** Ends the operations of a peer that the program dropped; each is reported as always. */
    void cancelAll(CorePeer peer) {
        int code = ErrorCode.ECANCEL.negativeValue();
        table.forEach(
                operation -> {
                    long id = operation.id();
                    if (id != 0 && operation.peer == peer) {
                        cancel(operation, id, code);
                    }
                });
    }

    /** Transfers that cannot be stopped end by themselves; gives them a bounded time to do so. */
    private void awaitMovers(CoreContext context, long endNs) {
        while (hasPending(context) && System.nanoTime() - endNs < 0 && !closing) {
            progress.pollOnce(true);
            LockSupport.parkNanos(NS_PER_MS / 10);
        }
    }

    private boolean hasPending(CoreContext context) {
        boolean[] pending = new boolean[1];
        table.forEach(
                operation ->
                        pending[0] |=
                                operation.context == context
                                        && operation.state == CoreOperation.PENDING);
        return pending[0];
    }

    @Override
    public PeerAddress lookup(String address) {
        checkOpen();
        long most = configuration.get(CoreKnobs.MAX_ADDRESS_LENGTH);
        if (address.length() > most) {
            throw new BmiException(
                    ErrorCode.ENAMETOOLONG,
                    "The address has "
                            + address.length()
                            + " characters; "
                            + most
                            + " are allowed.");
        }
        CorePeer known = peers.find(address);
        if (known != null) {
            return known;
        }
        AddressList elements = AddressList.of(address);
        String scheme = registry.firstAvailable(elements.schemes());
        ConnectEvent event = events.beginConnect();
        Method method = registry.activate(this, scheme, List.of());
        MethodAddress found = method.lookup(elements.ofScheme(scheme));
        CorePeer peer = peers.addLookedUp(address, method, found, scheme);
        if (event != null) {
            events.endConnect(event, peer, false);
        }
        return peer;
    }

    @Override
    public @Nullable PeerAddress findPeer(long id) {
        return peers.find(id);
    }

    @Override
    public Optional<String> reverseLookup(PeerAddress peer) {
        return Optional.ofNullable(peers.check(peer).lookedUp);
    }

    @Override
    public String reverseLookupUnexpected(PeerAddress peer) {
        String name = peers.check(peer).address.displayName();
        return name.isEmpty() ? "UNKNOWN" : name;
    }

    @Override
    public int testUnexpected(int messageClass, UnexpectedMessages messages, long idleMs) {
        checkOpen();
        checkClass(messageClass);
        return unexpectedTests.test(store.classQueue(messageClass), messages, idleMs, null);
    }

    @Override
    public UnexpectedListener openListener(UnexpectedFilter filter) {
        checkOpen();
        return store.openListener(this, filter);
    }

    @Override
    public void unexpectedFree(MemorySegment payload) {
        checkOpen();
        store.free(payload);
    }

    @Nullable MemorySegment allocate(CorePeer peer, long sizeBytes) {
        checkOpen();
        MemorySegment memory =
                sizeBytes < 0 || peer.dropped ? null : peer.method.memalloc(sizeBytes);
        if (memory == null) {
            events.exhausted("memory", peer.scheme, sizeBytes);
        }
        return memory;
    }

    @Override
    public void free(MemorySegment memory) {
        checkOpen();
        for (Method method : progress.methods()) {
            int result = method.memfree(memory);
            if (result == 0) {
                return;
            }
            if (result == ErrorCode.EBUSY.negativeValue()) {
                throw new BmiException(
                        ErrorCode.EBUSY, "The memory is in use by an operation; await it first.");
            }
        }
        throw invalid("The memory was not allocated here, was freed before, or begins elsewhere.");
    }

    @Override
    public <T> void setOption(Option<T> option, T value) {
        checkOpen();
        options.set(null, option, value);
    }

    @Override
    public <T> void setOption(PeerAddress peer, Option<T> option, T value) {
        checkOpen();
        options.set(peers.checkAlive(peer), option, value);
    }

    @Override
    public <T> T getOption(Option<T> option) {
        checkOpen();
        return options.get(null, option);
    }

    @Override
    public <T> T getOption(PeerAddress peer, Option<T> option) {
        checkOpen();
        return options.get(peers.checkAlive(peer), option);
    }

    @Override
    public List<Option<?>> options() {
        return options.all();
    }

    @Override
    public <T> Option<T> option(String name, Class<T> type) {
        return options.named(name, type);
    }

    @Override
    public @Nullable Option<?> option(Option.Numbering numbering, int number) {
        return options.numbered(numbering, number);
    }

    @Override
    public List<String> methods() {
        return registry.schemes();
    }

    @Override
    public boolean isActive() {
        checkOpen();
        return progress.methods().length > 0;
    }

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public Counters counters() {
        gauges.refresh();
        return counters;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public <T> T shared(Class<T> type, Supplier<? extends T> make) {
        return type.cast(shared.computeIfAbsent(type, wanted -> make.get()));
    }

    @Override
    public Bmi retain() {
        checkOpen();
        if (owners.getAndUpdate(n -> n == 0 ? 0 : n + 1) == 0) {
            throw closedInstance();
        }
        return this;
    }

    @Override
    public void close() {
        if (owners.getAndUpdate(n -> n == 0 ? 0 : n - 1) == 1) {
            closeNow();
        }
    }

    private void closeNow() {
        closing = true;
        progress.beginClose();
        wakeWhoGetsNoMore();
        long endNs = System.nanoTime() + closeWaitNs();
        int sharers = 1 + progress.methods().length;
        progress.takeLeadForClose(MethodRegistry.shareOf(endNs, sharers));
        try {
            registry.closeAll(this, endNs);
        } finally {
            closed = true;
            abandonAll(null);
            for (CoreContext context : contexts.all()) {
                context.queue().signalAll();
            }
            store.signalAll();
        }
    }

    /**
     * Wakes the callers to whom closing the methods brings nothing, so that they do not wait for a
     * method that takes its time; the others get the outcomes of their operations first.
     */
    private void wakeWhoGetsNoMore() {
        store.signalAll();
        for (CoreContext context : contexts.all()) {
            if (!hasPending(context)) {
                context.queue().signalAll();
            }
        }
    }

    /** Wakes who is blocked on operations that nobody will complete any more. */
    private void abandonAll(@Nullable CoreContext only) {
        table.forEach(
                operation -> {
                    CoreContext context = operation.context;
                    if (context != null && (only == null || context == only)) {
                        context.queue().abandon(operation);
                    }
                });
    }

    CancelOutcome cancel(CoreOperation operation, long id, int code) {
        Method method = operation.method;
        return method == null ? CancelOutcome.UNKNOWN : method.cancel(operation, id, code);
    }

    void checkOpen() {
        if (closing) {
            throw closedInstance();
        }
    }

    static BmiException closedInstance() {
        return invalid("The instance is closed.");
    }

    boolean isClosing() {
        return closing;
    }

    boolean checkUnexpected() {
        return options.checkUnexpected();
    }

    static void checkIdle(long idleMs) {
        if (idleMs < 0) {
            throw invalid("A wait of " + idleMs + " ms was asked for; it must be 0 or more.");
        }
    }

    static void checkClass(int messageClass) {
        if (messageClass < 0 || messageClass > UnexpectedFilter.MAX_CLASS) {
            throw invalid("Message classes go from 0 to 255, not " + messageClass + ".");
        }
    }

    static BmiException invalid(String sentence) {
        return new BmiException(ErrorCode.EINVAL, sentence);
    }

    BmiSettings settings() {
        return settings;
    }

    Counters liveCounters() {
        return counters;
    }

    CoreEvents events() {
        return events;
    }

    OperationTable table() {
        return table;
    }

    DeadlineQueue deadlines() {
        return deadlines;
    }

    Progress progress() {
        return progress;
    }

    PeerTable peers() {
        return peers;
    }

    UnexpectedStore store() {
        return store;
    }

    UnexpectedTests unexpectedTests() {
        return unexpectedTests;
    }

    ContextTable contexts() {
        return contexts;
    }

    MethodRegistry registry() {
        return registry;
    }

    WaiterPool waiters() {
        return waiters;
    }
}
