package org.jbmi.benchmarks;

import org.jbmi.Bmi;
import org.jbmi.zbmi.daemon.ZbmiDaemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A zoid daemon in this process, with directories of its own. */
record DaemonSetup(Path directory, String channel, ZbmiDaemon daemon) implements AutoCloseable {
    private static final String ADDRESS = "zoid://";

    /**
     * Starts one.
     *
     * @return the daemon; the caller closes it
     * @throws IOException if the runtime directory cannot be made
     */
    static DaemonSetup open(String channel) throws IOException {
        Path directory = Files.createTempDirectory("zb");
        ZbmiDaemon daemon =
                ZbmiDaemon.builder()
                        .knob("zoid.runtimeDirectory", runtime(directory).toString())
                        .knob("zbmi.totalBytes", "16m")
                        .knob("zbmi.commandChannel", channel)
                        .start();
        return new DaemonSetup(directory, channel, daemon);
    }

    private static Path runtime(Path directory) {
        return directory.resolve("run");
    }

    /** Opens a server and a client of the daemon. */
    MessagePair pair(int bytes) {
        String runtime = runtime(directory).toString();
        return new MessagePair(
                Bmi.builder()
                        .knob("zoid.runtimeDirectory", runtime)
                        .knob("zoid.host", "daemon")
                        .knob("zoid.commandChannel", channel)
                        .listen(ADDRESS)
                        .open(),
                Bmi.builder().knob("zoid.runtimeDirectory", runtime).open(),
                ADDRESS,
                bytes);
    }

    @Override
    public void close() throws IOException {
        daemon.close();
        Path runtime = runtime(directory);
        Files.deleteIfExists(runtime.resolve("daemon.lock"));
        Files.delete(runtime);
        Files.delete(directory);
    }
}
