package org.jbmi.zoid.daemon;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.Call;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.zoid.daemon.plugin.LoadedPlugin;
import org.jbmi.zoid.daemon.plugin.Pace;
import org.jbmi.zoid.daemon.plugin.Plugins;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.forward.wire.Forwarded;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.NoSuchElementException;
import java.util.concurrent.Semaphore;

/** Runs forwarded calls: each in the thread that the shipper gives it. */
final class Forwarding {
    /** The longest text of others that the server passes on. */
    private static final int MOST_CHARS = 400;

    private final ZoidSettings settings;
    private final Processes processes;
    private final Plugins plugins;
    private final Traffic traffic;
    private final Budget requests;
    private final Budget replies;
    private final Semaphore turn = new Semaphore(1, true);
    private final ScopedValue<ForwardedCall> current = ScopedValue.newInstance();
    private final Thread another = Thread.ofVirtual().unstarted(() -> {});

    Forwarding(ZoidSettings settings, Processes processes, Plugins plugins, Traffic traffic) {
        this.settings = settings;
        this.processes = processes;
        this.plugins = plugins;
        this.traffic = traffic;
        this.requests = settings.budget();
        this.replies = settings.budget();
    }

    ZoidSettings settings() {
        return settings;
    }

    Budget replies() {
        return replies;
    }

    /** A thread that is never started, to ask whether a segment can be shared. */
    Thread another() {
        return another;
    }

    /** The call that the calling thread runs; null if it runs none. */
    @Nullable ForwardedCall current() {
        try {
            return current.isBound() ? current.get() : null;
        } catch (NoSuchElementException e) {
            return null;
        }
    }

    /**
     * Whether a call is expected to take some microseconds and to wait for nothing. Then nothing is
     * moved besides its message, and the last calls of its function were quick.
     */
    boolean isQuick(Forwarded.In in) {
        if (in.in().isPresent() || in.out().isPresent() || in.exposedBody().isPresent()) {
            return false;
        }
        LoadedPlugin plugin = plugins.find(in.plugin());
        int function = in.function();
        return plugin != null
                && function >= 0
                && function < plugin.functions()
                && Forwarded.HEADER_BYTES + in.body().length <= settings.smallBytes()
                && plugin.pace(function).isQuick();
    }

    /** The handler of the shipper. */
    Forwarded.Out handle(Call<Forwarded.In, Forwarded.Out> call) {
        Forwarded.In in = call.input();
        ForwardedCallEvent event = ForwardedCallEvent.begun();
        Category counters = traffic.plugin(in.plugin());
        long bodyBytes = in.body().length + in.exposedBody().map(BulkHandle::sizeBytes).orElse(0L);
        Outcome outcome;
        try {
            outcome = run(call, in, bodyBytes, counters);
        } catch (ZoidException e) {
            outcome = failure(e.error(), e.excessiveSize(), e.getMessage());
        } catch (BmiException e) {
            outcome = failure(error(e), 0, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            outcome = failure(ZoidError.EINTR, 0, "The call is not wanted any more.");
        }
        counters.sent(outcome.sentBytes());
        if (event != null) {
            commit(event, in, bodyBytes, outcome);
        }
        return outcome.reply();
    }

    private void commit(
            ForwardedCallEvent event, Forwarded.In in, long bodyBytes, Outcome outcome) {
        LoadedPlugin plugin = plugins.find(in.plugin());
        event.function =
                plugin == null ? in.plugin() + "." + in.function() : plugin.words(in.function());
        event.process = in.process();
        event.requestBytes = bodyBytes + in.in().map(BulkHandle::sizeBytes).orElse(0L);
        event.replyBytes = outcome.sentBytes() - Forwarded.HEADER_BYTES;
        event.error = outcome.reply().error();
        event.commit();
    }

    /** A reply, and the number of bytes that go with it. */
    private record Outcome(Forwarded.Out reply, long sentBytes) {}

    private static Outcome failure(ZoidError error, long excess, @Nullable String text) {
        String words = text == null ? "" : shortened(text);
        return new Outcome(
                new Forwarded.Out(error.number(), excess, words, new byte[0]),
                Forwarded.HEADER_BYTES);
    }

    private static ZoidError error(BmiException e) {
        if (e.code() == ErrorCode.ENOMEM) {
            return ZoidError.ENOMEM;
        }
        return e.code() == ErrorCode.EBADMSG ? ZoidError.EINVAL : ZoidError.EIO;
    }

    private Outcome run(
            Call<Forwarded.In, Forwarded.Out> call,
            Forwarded.In in,
            long bodyBytes,
            Category counters)
            throws InterruptedException {
        ZoidProcess process = processes.find(in.process(), in.key());
        if (process == null) {
            counters.received(Forwarded.HEADER_BYTES + bodyBytes);
            return failure(ZoidError.ESRCH, 0, "The server knows no such process.");
        }
        LoadedPlugin plugin = plugins.find(in.plugin());
        if (plugin == null || !plugin.enter()) {
            counters.received(Forwarded.HEADER_BYTES + bodyBytes);
            return failure(
                    ZoidError.ENOSYS,
                    0,
                    "The server has not loaded the plug-in " + in.plugin() + ".");
        }
        try {
            return check(call, in, bodyBytes, plugin, process, counters);
        } finally {
            plugin.leave();
        }
    }

    private Outcome check(
            Call<Forwarded.In, Forwarded.Out> call,
            Forwarded.In in,
            long bodyBytes,
            LoadedPlugin plugin,
            ZoidProcess process,
            Category counters)
            throws InterruptedException {
        if (in.function() < 0 || in.function() >= plugin.functions()) {
            counters.received(Forwarded.HEADER_BYTES + bodyBytes);
            return failure(
                    ZoidError.ENOSYS, 0, "The plug-in has no function " + in.function() + ".");
        }
        if (plugin.hash(in.function()) != in.signature()) {
            counters.received(Forwarded.HEADER_BYTES + bodyBytes);
            return failure(
                    ZoidError.EPROTOTYPE,
                    0,
                    "The server's function is "
                            + plugin.dispatcher().signatures().get(in.function()));
        }
        return admit(call, in, bodyBytes, plugin, process, counters);
    }

    private Outcome admit(
            Call<Forwarded.In, Forwarded.Out> call,
            Forwarded.In in,
            long bodyBytes,
            LoadedPlugin plugin,
            ZoidProcess process,
            Category counters)
            throws InterruptedException {
        long excess = Forwarded.HEADER_BYTES + bodyBytes - settings.limitBytes();
        if (excess > 0) {
            counters.received(Forwarded.HEADER_BYTES + in.body().length);
            return failure(ZoidError.E2BIG, excess, "The request is too large.");
        }
        long arrays = in.in().map(BulkHandle::sizeBytes).orElse(0L);
        long wholeBytes = Forwarded.HEADER_BYTES + bodyBytes + arrays;
        boolean waits = settings.thresholdBytes() > 0 && wholeBytes > settings.thresholdBytes();
        long bufferBytes = Math.min(wholeBytes, settings.limitBytes());
        boolean large = bufferBytes > settings.smallBytes();
        byte[] body = null;
        try {
            if (large) {
                process.large().acquire();
            }
            try {
                Semaphore buffer = requests.take(bufferBytes);
                try {
                    body = body(call, in, waits);
                    ForwardedCall forwarded =
                            new ForwardedCall(
                                    this, plugin, counters, process, call, body, large, waits);
                    return dispatch(plugin, in.function(), forwarded, body.length, counters);
                } finally {
                    buffer.release();
                }
            } finally {
                if (large) {
                    process.large().release();
                }
            }
        } finally {
            if (body == null) { // it was refused, and not dispatched
                counters.received(Forwarded.HEADER_BYTES + in.body().length);
            }
        }
    }

    private byte[] body(Call<Forwarded.In, Forwarded.Out> call, Forwarded.In in, boolean waits) {
        BulkHandle exposed = in.exposedBody().orElse(null);
        if (exposed == null) {
            return in.body();
        }
        byte[] body = new byte[(int) exposed.sizeBytes()];
        pull(call, exposed, MemorySegment.ofArray(body), waits);
        return body;
    }

    /** Brings bytes here: of large messages one at a time. */
    void pull(
            Call<Forwarded.In, Forwarded.Out> call,
            BulkHandle handle,
            MemorySegment into,
            boolean waits) {
        if (!waits) {
            call.pull(handle, 0, into);
            return;
        }
        try {
            turn.acquire();
        } catch (InterruptedException e) {
            throw ForwardedCall.interrupted();
        }
        try {
            call.pull(handle, 0, into);
        } finally {
            turn.release();
        }
    }

    private Outcome dispatch(
            LoadedPlugin plugin,
            int function,
            ForwardedCall forwarded,
            int bodyBytes,
            Category counters) {
        Pace pace = plugin.pace(function);
        pace.begins();
        long startNs = System.nanoTime();
        try {
            return ScopedValue.where(current, forwarded)
                    .call(() -> inScope(plugin, function, forwarded));
        } catch (Exception | Error e) { // any failure ends this call only
            // A plug-in may be a client itself: then such a failure is one of the function.
            boolean isOurs = e instanceof ZoidException || e instanceof BmiException;
            if (isOurs && !forwarded.isInPlugin()) {
                throw (RuntimeException) e;
            }
            return failure(ZoidError.EREMOTEIO, 0, "The function threw " + e);
        } finally {
            pace.ended(System.nanoTime() - startNs);
            counters.received(Forwarded.HEADER_BYTES + bodyBytes + forwarded.receivedBytes());
        }
    }

    private static Outcome inScope(LoadedPlugin plugin, int function, ForwardedCall forwarded)
            throws Exception {
        try (forwarded) {
            plugin.dispatcher().call(function, forwarded);
            byte[] results = forwarded.results();
            return new Outcome(new Forwarded.Out(0, 0, "", results), forwarded.sentBytes());
        }
    }

    /**
     * The beginning of a text that others say and the server passes on. Half a surrogate pair at
     * its end could not be sent.
     */
    static String shortened(String given) {
        // Half a pair that the text had before becomes a question mark.
        String text = new String(given.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        if (text.length() <= MOST_CHARS) {
            return text;
        }
        boolean splits = Character.isHighSurrogate(text.charAt(MOST_CHARS - 1));
        return text.substring(0, splits ? MOST_CHARS - 1 : MOST_CHARS);
    }
}
