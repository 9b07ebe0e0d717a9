package org.jbmi.core;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.PeerAddress;
import org.jbmi.PendingOperation;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.config.Configuration;
import org.jbmi.core.events.ConnectEvent;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.events.PendingEvent;
import org.jbmi.core.operation.CompletionQueue;
import org.jbmi.core.operation.CoreContext;
import org.jbmi.core.operation.DeadlineQueue;
import org.jbmi.core.operation.OperationEndings;
import org.jbmi.core.operation.OperationLooks;
import org.jbmi.core.operation.OperationRounds;
import org.jbmi.core.operation.OperationTable;
import org.jbmi.core.operation.Tester;
import org.jbmi.core.peer.AddressList;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.peer.PeerTable;
import org.jbmi.core.unexpected.UnexpectedStore;
import org.jbmi.core.waiting.Arguments;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.WaiterPool;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Failures;
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
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * One instance: makes all parts, passes each what it needs, and coordinates calls and closing. No
 * part has a reference to the instance.
 */
final class CoreBmi implements Bmi {
    private static final long NS_PER_MS = 1_000_000;

    /** How long a look-up waits for the end of a drop of the same peer. */
    private static final long LOOKUP_WAIT_NS = 5_000_000_000L;

    private static final long LOOKUP_PAUSE_NS = 20_000;

    private final BmiSettings settings;
    private final MethodProviders providers = new MethodProviders();
    private final Configuration configuration;
    private final Counters counters = Counters.inMemory();
    private final CoreEvents events = new CoreEvents();
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final OperationLooks looks;
    private final OperationRounds rounds;
    private final WaiterPool waiters = new WaiterPool();
    private final Progress progress;
    private final OperationTable table;
    private final OperationEndings endings;
    private final PeerTable peers;
    private final UnexpectedStore store;
    private final ContextTable contexts;
    private final MethodRegistry registry;
    private final CoreOptions options;
    private final CoreGauges gauges;

    /** The steps of a close, made beforehand: the heap may have no room for them then. */
    private final Runnable[] closeSteps;

    /** Made beforehand for the close of a context. */
    private final ObjLongConsumer<CompletionQueue> awaitOutcomes = this::awaitOutcomes;

    private final Map<Class<?>, Object> shared = new ConcurrentHashMap<>();
    private final AtomicInteger owners = new AtomicInteger(1);

    CoreBmi(BmiSettings settings) {
        this.settings = settings;
        configuration = Configuration.resolve(providers.knobs(), settings.knobs());
        table = new OperationTable(configuration.get(CoreKnobs.MAX_OPERATIONS).intValue());
        looks = new OperationLooks(table);
        rounds = new OperationRounds(deadlines, looks);
        progress = new Progress(rounds, WaitPolicy.of(configuration));
        endings = new OperationEndings(table);
        peers = new PeerTable(events, progress, endings::cancelAll, settings.automaticReferences());
        contexts = new ContextTable(configuration.get(CoreKnobs.MAX_CONTEXTS).intValue());
        store = new UnexpectedStore(peers, progress, waiters, contexts::nudgeAll);
        registry = new MethodRegistry(providers, progress, this::hostOf);
        options = new CoreOptions(progress, store, providers.options());
        gauges = new CoreGauges(counters, table, peers, store);
        closeSteps =
                new Runnable[] {
                    progress::beginClose,
                    this::wakeWhoGetsNoMore,
                    this::closeMethods,
                    progress::endClose,
                    endings::abandonAll,
                    store::signalAll,
                    this::signalContexts,
                    PendingEvent.tell(looks::oldest)
                };
    }

    private HostBridge hostOf(String scheme) {
        HostBridge.Surroundings surroundings =
                new HostBridge.Surroundings(
                        scheme, configuration, counters, settings.attachments());
        return new HostBridge(surroundings, rounds, progress, peers, store);
    }

    /** Activates the methods that the builder named; on failure nothing stays open. */
    void start() {
        try {
            Map<String, List<String>> listens = new LinkedHashMap<>();
            for (String address : settings.listenAddresses()) {
                listens.computeIfAbsent(AddressList.schemeOfOne(address), s -> new ArrayList<>())
                        .add(address);
            }
            listens.forEach((scheme, addresses) -> registry.activate(scheme, addresses));
            for (String name : settings.methods()) {
                registry.activate(MethodProviders.schemeOfMethod(name), List.of());
            }
        } catch (RuntimeException | Error e) {
            try {
                close();
            } catch (RuntimeException | Error failure) {
                Failures.first(e, failure);
            }
            throw e;
        }
    }

    @Override
    public CompletionContext openContext() {
        checkOpen();
        CoreContext context = contexts.add(this::newContext);
        if (context == null) {
            events.exhausted("contexts", null, 1);
            throw new BmiException(
                    ErrorCode.EBUSY,
                    contexts.most()
                            + " contexts are open; close one first, or raise the knob "
                            + CoreKnobs.MAX_CONTEXTS.name()
                            + ".");
        }
        return context;
    }

    private CoreContext newContext() {
        CompletionQueue queue = new CompletionQueue(table, deadlines, progress, events);
        try {
            Tester tester = new Tester(queue, table, store, progress, waiters);
            return new CoreContext(peers, queue, tester, endings, this::closeContext);
        } catch (RuntimeException | Error e) {
            queue.close(); // the table of operations knows it already
            throw e;
        }
    }

    private void closeContext(CoreContext context) {
        CompletionQueue queue = context.queue();
        try {
            if (!progress.isClosed()) { // until then a method may hold buffers
                endings.cancelAll(queue, awaitOutcomes, System.nanoTime() + closeWaitNs());
            }
        } finally {
            queue.close();
            endings.abandonAll(queue);
            contexts.remove(context);
        }
    }

    /** The limit for a whole close, however many operations it ends. */
    private long closeWaitNs() {
        return configuration.get(CoreKnobs.CLOSE_WAIT_MS) * NS_PER_MS;
    }

    /**
     * Waits for operations that complete later, until the limit of the close, also if polls fail.
     * Throws their first failure at the end.
     */
    private void awaitOutcomes(CompletionQueue queue, long endNs) {
        Throwable failure = null;
        boolean interrupted = false;
        try {
            while (endings.isAnyPending(queue)
                    && System.nanoTime() - endNs < 0
                    && !progress.isClosed()) {
                try {
                    progress.pollOnce(true);
                } catch (RuntimeException | Error e) {
                    failure = Failures.first(failure, e);
                }
                LockSupport.parkNanos(NS_PER_MS / 10);
                interrupted |= Thread.interrupted(); // else the next park ends at once
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        Failures.rethrow(failure);
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
                            + " characters, but the knob "
                            + CoreKnobs.MAX_ADDRESS_LENGTH.name()
                            + " allows "
                            + most
                            + ".");
        }
        CorePeer known = peers.find(address);
        if (known != null) {
            return known;
        }
        AddressList elements = AddressList.of(address);
        String scheme = registry.firstAvailable(elements.schemes());
        ConnectEvent event = events.beginConnect();
        Method method = registry.activate(scheme, List.of());
        CorePeer peer = addLookedUp(address, method, elements.ofScheme(scheme), scheme);
        if (event != null) {
            events.endConnect(event, peer, false);
        }
        return peer;
    }

    /** Asks the method, again while another thread drops the peer that it gives. */
    private CorePeer addLookedUp(String address, Method method, String elements, String scheme) {
        CorePeer peer = askOnce(address, method, elements, scheme);
        long endNs = System.nanoTime() + LOOKUP_WAIT_NS;
        boolean interrupted = false;
        try {
            while (peer == null) {
                checkOpen();
                if (System.nanoTime() - endNs >= 0) {
                    throw new BmiException(
                            ErrorCode.EBUSY,
                            "The peer " + address + " is being dropped; look it up again later.");
                }
                LockSupport.parkNanos(LOOKUP_PAUSE_NS);
                interrupted |= Thread.interrupted(); // else the next park ends at once
                peer = askOnce(address, method, elements, scheme);
            }
            return peer;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private @Nullable CorePeer askOnce(
            String address, Method method, String elements, String scheme) {
        long drops = peers.drops();
        MethodAddress found = method.lookup(elements);
        if (found == null) {
            throw Arguments.invalid("The method \"" + scheme + "\" returned null from lookup.");
        }
        return peers.addLookedUp(address, method, found, scheme, drops);
    }

    @Override
    public @Nullable PeerAddress findPeer(long id) {
        return peers.find(id);
    }

    @Override
    public Optional<String> reverseLookup(PeerAddress peer) {
        return Optional.ofNullable(peers.check(peer).lookedUp());
    }

    @Override
    public String reverseLookupUnexpected(PeerAddress peer) {
        String name = peers.check(peer).address().displayName();
        return name.isEmpty() ? "UNKNOWN" : name;
    }

    @Override
    public int testUnexpected(int messageClass, UnexpectedMessages messages, long idleMs) {
        checkOpen();
        return store.classQueue(messageClass).test(messages, idleMs);
    }

    @Override
    public UnexpectedListener openListener(UnexpectedFilter filter) {
        checkOpen();
        return store.openListener(filter);
    }

    @Override
    public void unexpectedFree(MemorySegment payload) {
        checkOpen();
        store.free(payload);
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
        throw Arguments.invalid(
                "The memory was not allocated here, was freed before, or begins elsewhere.");
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
        return providers.schemes();
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
    public List<PendingOperation> pendingOperations(int most) {
        if (most < 1) {
            throw Arguments.invalid("At least one operation must be asked for, not " + most + ".");
        }
        return looks.oldest(most).oldest();
    }

    @Override
    public boolean isClosed() {
        return progress.isClosed();
    }

    @Override
    public <T> T shared(Class<T> type, Supplier<? extends T> make) {
        return type.cast(shared.computeIfAbsent(type, wanted -> make.get()));
    }

    @Override
    public Bmi retain() {
        checkOpen();
        if (addToOwners(1) == 0) {
            throw Progress.closedInstance();
        }
        return this;
    }

    @Override
    public void close() {
        if (addToOwners(-1) == 1) {
            closeFrom(0);
        }
    }

    /** Returns how many owners there were; if there was none, none is added. */
    private int addToOwners(int more) {
        int before = owners.get();
        while (before > 0 && !owners.compareAndSet(before, before + more)) {
            before = owners.get();
        }
        return before;
    }

    // Takes each step, even if one before it fails: no later close would take it.
    private void closeFrom(int step) {
        if (step < closeSteps.length) {
            try {
                closeSteps[step].run();
            } finally {
                closeFrom(step + 1);
            }
        }
    }

    private void closeMethods() {
        long endNs = System.nanoTime() + closeWaitNs();
        int sharers = 1 + progress.methods().length;
        try {
            progress.takeLeadForClose(MethodRegistry.shareOf(endNs, sharers));
        } finally {
            registry.closeAll(endNs);
        }
    }

    private void signalContexts() {
        for (CoreContext context : contexts.all()) {
            if (context != null) {
                context.queue().signalAll();
            }
        }
    }

    /**
     * Wakes the callers that get nothing from the closing of the methods, so that they do not wait
     * for a slow one. The others get the outcomes of their operations first.
     */
    private void wakeWhoGetsNoMore() {
        store.signalAll();
        for (CoreContext context : contexts.all()) {
            if (context != null && !endings.isAnyPending(context.queue())) {
                context.queue().signalAll();
            }
        }
    }

    private void checkOpen() {
        progress.checkOpen();
    }
}
