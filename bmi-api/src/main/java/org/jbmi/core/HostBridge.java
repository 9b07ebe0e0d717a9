package org.jbmi.core;

import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.core.operation.OperationRounds;
import org.jbmi.core.peer.PeerTable;
import org.jbmi.core.unexpected.UnexpectedStore;
import org.jbmi.core.waiting.Progress;
import org.jbmi.observe.Counters;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.LinkedNode;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.Consumer;

/** The core as one method sees it. */
final class HostBridge implements MethodHost {
    /**
     * What a method learns of its instance.
     *
     * @param scheme the method's own
     * @param attachments objects of the program, by type
     */
    record Surroundings(
            String scheme,
            Configuration configuration,
            Counters counters,
            Map<Class<?>, Object> attachments) {}

    /** A message or a failure that was reported before the method was known. */
    private static final class Report extends LinkedNode {
        private final Consumer<Method> take;

        Report(Consumer<Method> take) {
            this.take = take;
        }
    }

    private final Surroundings surroundings;
    private final OperationRounds rounds;
    private final Progress progress;
    private final PeerTable peers;
    private final UnexpectedStore unexpected;

    /** The oldest first. */
    private final IntrusiveQueue<Report> early = new IntrusiveQueue<>();

    private volatile @Nullable Method method;

    HostBridge(
            Surroundings surroundings,
            OperationRounds rounds,
            Progress progress,
            PeerTable peers,
            UnexpectedStore unexpected) {
        this.surroundings = surroundings;
        this.rounds = rounds;
        this.progress = progress;
        this.peers = peers;
        this.unexpected = unexpected;
    }

    /**
     * Sets the method. It gets this host in its constructor call, and its peers may send, and fail,
     * before the provider has returned it. What it reported meanwhile is taken up now, in order. If
     * that fails, nothing of it stays.
     *
     * @param publish runs when all is taken up, before anybody sees the messages
     */
    void opened(Method newMethod, Runnable publish) {
        unexpected.early.begin(newMethod);
        try {
            Report next = nextEarly(newMethod, publish);
            while (next != null) {
                next.take.accept(newMethod);
                next = nextEarly(newMethod, publish);
            }
        } catch (RuntimeException | Error e) {
            unexpected.early.discard(e);
            throw e;
        }
    }

    /** Takes the oldest report that is kept; publishes and sets the method if there is none. */
    private @Nullable Report nextEarly(Method newMethod, Runnable publish) {
        synchronized (early) {
            Report next = early.poll();
            if (next == null) {
                publish.run();
                unexpected.early.admit();
                method = newMethod;
            }
            return next;
        }
    }

    @Override
    public void complete(Operation operation, int error, long sizeBytes) {
        rounds.complete(operation, error, sizeBytes);
    }

    @Override
    public void deliverUnexpected(
            MethodAddress from,
            int tag,
            int messageClass,
            ErrorCode outcome,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token) {
        Method receiver = method;
        if (receiver == null) {
            receiver =
                    awaitOpened(
                            opened ->
                                    orForget(
                                            from,
                                            () ->
                                                    deliver(
                                                            opened,
                                                            from,
                                                            tag,
                                                            messageClass,
                                                            outcome,
                                                            memory,
                                                            offset,
                                                            sizeBytes,
                                                            token)));
        }
        if (receiver != null) {
            deliver(receiver, from, tag, messageClass, outcome, memory, offset, sizeBytes, token);
        }
    }

    /** Keeps a report until the method is known; returns the method if it is known by now. */
    private @Nullable Method awaitOpened(Consumer<Method> report) {
        synchronized (early) {
            Method receiver = method;
            if (receiver == null) {
                early.addLast(new Report(report));
            }
            return receiver;
        }
    }

    /** If a delivery fails, no sender stays of which there is no message. */
    private void orForget(MethodAddress from, Runnable delivery) {
        try {
            delivery.run();
        } catch (RuntimeException | Error e) {
            unexpected.early.forget(from, e);
            throw e;
        }
    }

    private void deliver(
            Method receiver,
            MethodAddress from,
            int tag,
            int messageClass,
            ErrorCode outcome,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token) {
        unexpected.arrived(
                receiver,
                surroundings.scheme,
                from,
                tag,
                messageClass,
                outcome,
                memory,
                offset,
                sizeBytes,
                token);
    }

    @Override
    public void peerFailed(MethodAddress address, int error) {
        if (method != null || awaitOpened(opened -> peers.failed(address, error)) != null) {
            peers.failed(address, error);
        }
    }

    @Override
    public void wake() {
        progress.wake();
    }

    @Override
    public Configuration configuration() {
        return surroundings.configuration;
    }

    @Override
    public Counters counters() {
        return surroundings.counters;
    }

    @Override
    public <T> @Nullable T attachment(Class<T> type) {
        return type.cast(surroundings.attachments.get(type));
    }
}
