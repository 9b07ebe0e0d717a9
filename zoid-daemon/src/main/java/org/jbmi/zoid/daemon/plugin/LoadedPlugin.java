package org.jbmi.zoid.daemon.plugin;

import org.jbmi.zoid.forward.PluginLifecycle;
import org.jbmi.zoid.forward.stub.PluginDispatcher;
import org.jbmi.zoid.forward.stub.Signatures;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A loaded plug-in. Its exceptions are logged and affect nothing else. Safe for use by any thread.
 */
public final class LoadedPlugin {
    private static final int RETIRED = Integer.MIN_VALUE;

    private final PluginDispatcher dispatcher;
    private final Consumer<String> log;
    private final String origin;
    private final @Nullable URLClassLoader code;
    private final long[] hashes;
    private final List<Pace> paces;
    private final AtomicLong userBytes = new AtomicLong();

    /** How many calls use it; negative after {@link #retire}. */
    private final AtomicInteger uses = new AtomicInteger();

    private final CountDownLatch unused = new CountDownLatch(1);

    /**
     * Makes one from a dispatcher.
     *
     * @param dispatcher runs its functions
     * @param origin the file that it came from; empty for the server's own class path
     * @param code the loader of its classes, closed at its end; null for the class path
     * @param log gets a text for each failure
     */
    LoadedPlugin(
            PluginDispatcher dispatcher,
            String origin,
            @Nullable URLClassLoader code,
            Consumer<String> log) {
        this.dispatcher = dispatcher;
        this.origin = origin;
        this.code = code;
        this.log = log;
        List<String> signatures = dispatcher.signatures();
        this.hashes = signatures.stream().mapToLong(Signatures::hash).toArray();
        this.paces = signatures.stream().map(_ -> new Pace()).toList();
    }

    /** The dispatcher that runs its functions. */
    public PluginDispatcher dispatcher() {
        return dispatcher;
    }

    /**
     * The file that it came from.
     *
     * @return a file; empty for the server's own class path
     */
    public String origin() {
        return origin;
    }

    /**
     * How many functions it has.
     *
     * @return 0 and up
     */
    public int functions() {
        return hashes.length;
    }

    /**
     * The name of a function.
     *
     * @return plug-in and function; the number where there is no such function
     */
    public String words(int function) {
        if (function < 0 || function >= hashes.length) {
            return dispatcher.name() + "." + function;
        }
        String signature = dispatcher.signatures().get(function);
        return dispatcher.name() + "." + signature.substring(0, signature.indexOf('('));
    }

    /**
     * The hash of a signature.
     *
     * @param function the index of the function, less than {@link #functions}
     */
    public long hash(int function) {
        return hashes[function];
    }

    /**
     * How long the calls of a function take.
     *
     * @param function the index of the function, less than {@link #functions}
     */
    public Pace pace(int function) {
        return paces.get(function);
    }

    // ------------------------------------------------------------------ its calls

    /**
     * A call begins; {@link #leave} must follow.
     *
     * @return false if the plug-in takes no calls any more: then nothing must follow
     */
    public boolean enter() {
        int before = uses.get();
        while (before >= 0 && !uses.compareAndSet(before, before + 1)) {
            before = uses.get();
        }
        return before >= 0;
    }

    /** A call is over. */
    public void leave() {
        if (uses.decrementAndGet() == RETIRED) {
            unused.countDown();
        }
    }

    /** Lets no further call begin. */
    void retire() {
        if (uses.getAndAdd(RETIRED) == 0) {
            unused.countDown();
        }
    }

    /** Waits until no call runs; an interrupt does not end that. */
    void awaitUnused() {
        boolean interrupted = false;
        while (unused.getCount() > 0) {
            try {
                unused.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The same for a limited time; false if calls still run after it. */
    boolean awaitUnused(Duration patience) throws InterruptedException {
        return unused.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** How many calls run; after the retirement. */
    int left() {
        return uses.get() - RETIRED;
    }

    // ------------------------------------------------------------------ its lifecycle

    /**
     * Calls the plug-in's lifecycle methods.
     *
     * @param what the event, for the log if that fails
     * @param words the call
     */
    public void tell(String what, Consumer<PluginLifecycle> words) {
        try {
            words.accept(dispatcher.plugin());
        } catch (Exception | Error e) { // a class that is missing, or an undeclared exception
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt(); // the caller ends what it waits for
            }
            log(what, e);
        }
    }

    /** Without an exception: whoever is told next must be told even if the heap is full. */
    private void log(String what, Throwable reason) {
        try {
            log.accept("The plug-in " + dispatcher.name() + " failed in " + what + ": " + reason);
        } catch (RuntimeException | Error e) {
            // There is nothing left to tell it to.
        }
    }

    /** Tells the plug-in that memory of its allocator is not used any more. */
    public void abandoned(MemorySegment memory) {
        tell("abandoned", plugin -> plugin.abandoned(memory));
    }

    /** Makes the last call of the plug-in, and closes its class loader. */
    void unloaded() {
        tell("unloaded", PluginLifecycle::unloaded);
        if (code != null) {
            try {
                code.close();
            } catch (IOException e) {
                log.accept("The file " + origin + " cannot be closed: " + e.getMessage());
            }
        }
    }

    // ------------------------------------------------------------------ its memory

    /**
     * Counts memory of the plug-in that calls use.
     *
     * @param bytes how much
     * @param most how much there may be in all
     * @return false if that exceeds the limit; nothing is counted then
     */
    public boolean takeQuota(long bytes, long most) {
        long before;
        do {
            before = userBytes.get();
            if (bytes > most - before) {
                return false; // without adding it for a moment: other calls would be refused
            }
        } while (!userBytes.compareAndSet(before, before + bytes));
        return true;
    }

    /** Counts memory as free again. */
    public void giveQuota(long bytes) {
        userBytes.addAndGet(-bytes);
    }
}
