package org.jbmi.zoid.daemon;

import org.jbmi.zoid.forward.PluginLifecycle;
import org.jbmi.zoid.forward.stub.PluginDispatcher;
import org.jbmi.zoid.forward.stub.Signatures;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A plug-in that runs here. Its exceptions are reported, and hurt nobody. */
final class LoadedPlugin {
    private final PluginDispatcher dispatcher;
    private final Consumer<String> log;
    private final long[] hashes;
    private final AtomicLong userBytes = new AtomicLong();

    LoadedPlugin(PluginDispatcher dispatcher, Consumer<String> log) {
        this.dispatcher = dispatcher;
        this.log = log;
        List<String> signatures = dispatcher.signatures();
        this.hashes = signatures.stream().mapToLong(Signatures::hash).toArray();
    }

    PluginDispatcher dispatcher() {
        return dispatcher;
    }

    int functions() {
        return hashes.length;
    }

    /** The name of a function; its number if there is none. */
    String words(int function) {
        if (function < 0 || function >= hashes.length) {
            return dispatcher.name() + "." + function;
        }
        String signature = dispatcher.signatures().get(function);
        return dispatcher.name() + "." + signature.substring(0, signature.indexOf('('));
    }

    long hash(int function) {
        return hashes[function];
    }

    /** Tells the plug-in something. */
    void tell(String what, Consumer<PluginLifecycle> words) {
        try {
            words.accept(dispatcher.plugin());
        } catch (RuntimeException e) {
            log.accept("The plug-in " + dispatcher.name() + " failed in " + what + ": " + e);
        }
    }

    void abandoned(MemorySegment memory) {
        tell("abandoned", plugin -> plugin.abandoned(memory));
    }

    /** Counts memory of the plug-in that calls use; false if that would be too much. */
    boolean takeQuota(long bytes, long most) {
        if (userBytes.addAndGet(bytes) > most) {
            userBytes.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    void giveQuota(long bytes) {
        userBytes.addAndGet(-bytes);
    }
}
