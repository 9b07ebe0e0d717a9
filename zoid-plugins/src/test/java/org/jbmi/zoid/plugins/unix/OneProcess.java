package org.jbmi.zoid.plugins.unix;

import org.jbmi.zoid.forward.PluginServices;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Consumer;

/** A server with one process, which makes all calls. */
class OneProcess implements PluginServices {
    static final int ID = 1;

    private final Optional<String> root;

    OneProcess() {
        this.root = Optional.empty();
    }

    OneProcess(String root) {
        this.root = Optional.of(root);
    }

    @Override
    public int callingProcess() {
        return ID;
    }

    @Override
    public int rankOf(int processId) {
        return -1;
    }

    @Override
    public Optional<String> jobOf(int processId) {
        return Optional.empty();
    }

    @Override
    public int jobSizeOf(int processId) {
        return -1;
    }

    @Override
    public int sendOutput(int processId, int stream, byte[] text) {
        return -1;
    }

    @Override
    public void registerUserBuffer(
            MemorySegment memory, @Nullable Consumer<MemorySegment> callback) {
        throw new IllegalStateException("No call runs.");
    }

    @Override
    public MemorySegment allocateUserBuffer(long bytes) {
        throw new IllegalStateException("No call runs.");
    }

    @Override
    public Optional<String> setting(String name) {
        return root;
    }
}
