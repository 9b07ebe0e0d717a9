package org.jbmi.testsuite.support;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Uses what most children of tests use, so that its classes come into the archive. */
final class ArchiveTraining {
    private static final int BYTES = 1000;
    private static final int PATIENCE_MS = 10_000;

    private ArchiveTraining() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createTempDirectory("ar");
        try {
            exchange(directory, "zoid://");
            exchange(directory, "tcp://127.0.0.1:" + FreePort.find());
        } finally {
            remove(directory);
        }
        runInfo();
    }

    private static void exchange(Path directory, String address) {
        try (Bmi server = server(directory, address).listen(address).open();
                Bmi client = builder(directory, address).open();
                CompletionContext asking = client.openContext();
                CompletionContext answering = server.openContext()) {
            PeerAddress there = client.lookup(address);
            MemorySegment bytes = MemorySegment.ofArray(new byte[BYTES]);
            long answer = asking.postReceive(there, bytes, 1);
            asking.await(asking.postSendUnexpected(there, bytes.asSlice(0, 8), 1), PATIENCE_MS);
            UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
            if (server.testUnexpected(messages, PATIENCE_MS) == 1) {
                PeerAddress peer = messages.peer(0);
                answering.await(answering.postSend(peer, bytes, 1), PATIENCE_MS);
                asking.await(answer, PATIENCE_MS);
                messages.free(0);
            }
        } catch (BmiException e) {
            // A module without this method has no class of it either.
        }
    }

    private static BmiBuilder server(Path directory, String address) {
        BmiBuilder builder = builder(directory, address);
        if (address.startsWith("zoid")) {
            builder.knob("zoid.host", "embedded");
            builder.knob("zbmi.segmentDirectory", directory.toString());
            builder.knob("zbmi.totalBytes", "1m");
        }
        return builder;
    }

    private static BmiBuilder builder(Path directory, String address) {
        BmiBuilder builder = Bmi.builder();
        if (address.startsWith("zoid")) {
            builder.knob("zoid.runtimeDirectory", directory.resolve("run").toString());
        }
        return builder;
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Runs {@code bmi info} if this module has the command line; it ends the process. */
    private static void runInfo() throws IllegalAccessException, InvocationTargetException {
        try {
            Class.forName("org.jbmi.tools.BmiMain")
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) new String[] {"info"});
        } catch (ClassNotFoundException | NoSuchMethodException e) {
            // Not in this module.
        }
    }
}
