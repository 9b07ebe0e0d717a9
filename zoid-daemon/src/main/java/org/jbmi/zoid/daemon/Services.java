package org.jbmi.zoid.daemon;

import org.jbmi.zoid.forward.PluginServices;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The services of a server for plug-ins. */
final class Services implements PluginServices {
    private final Map<String, String> settings;
    private final Processes processes;
    private final Jobs jobs;
    private final Supplier<Forwarding> forwarding;

    /** The forwarding is read when a call runs, since it is made after the plug-ins. */
    Services(
            Map<String, String> settings,
            Processes processes,
            Jobs jobs,
            Supplier<Forwarding> forwarding) {
        this.settings = Map.copyOf(settings);
        this.processes = processes;
        this.jobs = jobs;
        this.forwarding = forwarding;
    }

    private ForwardedCall current() {
        return Objects.requireNonNullElseGet(
                forwarding.get().current(),
                () -> {
                    throw new IllegalStateException("This thread runs no forwarded call.");
                });
    }

    @Override
    public int callingProcess() {
        return current().process().id();
    }

    @Override
    public int rankOf(int processId) {
        ZoidProcess process = processes.find(processId);
        return process == null ? -1 : process.rank();
    }

    @Override
    public Optional<String> jobOf(int processId) {
        ZoidProcess process = ranked(processId);
        return process == null ? Optional.empty() : Optional.of(process.job());
    }

    @Override
    public int jobSizeOf(int processId) {
        ZoidProcess process = ranked(processId);
        return process == null ? -1 : process.words().size();
    }

    private @Nullable ZoidProcess ranked(int processId) {
        ZoidProcess process = processes.find(processId);
        return process != null && process.hasRank() ? process : null;
    }

    @Override
    public int sendOutput(int processId, int stream, byte[] text) {
        ZoidProcess process = ranked(processId);
        boolean known = stream == 1 || stream == 2;
        return process != null && known && jobs.write(process.job(), stream, text) ? 0 : -1;
    }

    @Override
    public void registerUserBuffer(
            MemorySegment memory, @Nullable Consumer<MemorySegment> callback) {
        current().register(memory, callback);
    }

    @Override
    public @Nullable MemorySegment allocateUserBuffer(long bytes) {
        return current().allocate(bytes);
    }

    @Override
    public Optional<String> setting(String name) {
        return Optional.ofNullable(settings.get(name));
    }
}
