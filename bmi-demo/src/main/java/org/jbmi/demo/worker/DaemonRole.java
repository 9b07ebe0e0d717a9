package org.jbmi.demo.worker;

import org.jbmi.tools.cli.Requirements;
import org.jbmi.tools.text.Quantities;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.place.HostKnobs;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * The zoid daemon of a demo. Unlike {@code zbmi serve} it uses the memory that is available: if its
 * pool does not fit, it halves the pool until it fits, and reports it.
 */
public final class DaemonRole implements Role {
    private final Map<String, String> knobs;

    /**
     * Makes a daemon.
     *
     * @param settings of the demo; its knobs are the daemon's
     */
    public DaemonRole(WorkerSettings settings) {
        knobs = settings.knobs();
    }

    @Override
    public void work(WorkerChannel channel) throws Exception {
        try (ZbmiDaemon daemon = start(channel)) {
            long totalBytes = daemon.configuration().get(HostKnobs.TOTAL_BYTES);
            channel.tell(new WorkerEvent(WorkerEvent.Kind.READY, totalBytes, 0, ""));
            while (channel.next() != WorkerCommand.QUIT) {
                // Other commands are for clients.
            }
        }
    }

    private ZbmiDaemon start(WorkerChannel channel) {
        ZbmiDaemon.Builder builder = ZbmiDaemon.builder();
        knobs.forEach(builder::knob);
        return open(
                knobs,
                channel,
                bytes -> builder.knob(HostKnobs.TOTAL_BYTES.name(), Long.toString(bytes)).start());
    }

    /**
     * Opens a host of the engine with the memory that is available, and reports if that is less
     * than its knob says.
     */
    static <T> T open(Map<String, String> knobs, WorkerChannel channel, LongFunction<T> open) {
        long wanted = Long.parseLong(knobs.get(HostKnobs.TOTAL_BYTES.name()));
        return Requirements.poolThatFits(
                wanted,
                bytes -> {
                    T host = open.apply(bytes);
                    if (bytes < wanted) {
                        String sentence = shrunk(knobs, wanted, bytes);
                        channel.tell(WorkerEvent.of(WorkerEvent.Kind.NOTED, sentence));
                    }
                    return host;
                });
    }

    private static String shrunk(Map<String, String> knobs, long wanted, long bytes) {
        Path directory = Path.of(knobs.get(HostKnobs.SEGMENT_DIRECTORY.name()));
        return "%s has no room for a pool of %s, so the pool has %s."
                .formatted(
                        directory.getParent(), Quantities.bytes(wanted), Quantities.bytes(bytes));
    }
}
