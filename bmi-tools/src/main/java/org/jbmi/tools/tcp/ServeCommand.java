package org.jbmi.tools.tcp;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.tools.cli.EndInOrder;
import org.jbmi.tools.cli.ListenAddresses;
import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** The command {@code bmi serve}. */
@Command(
        name = "serve",
        versionProvider = ToolVersion.class,
        description = {
            "Sends messages back over tcp, to test a connection by hand.",
            "",
            "Prints the address that it listens on, with its port, and serves until it is ended."
                    + " An unexpected message is answered by an expected one with the same bytes"
                    + " and tag. One of class 1 holds a length, 8 bytes little-endian, and"
                    + " announces an expected message of that length with the same tag, which is"
                    + " sent back with that tag. In the OrangeFS dialect, which has no classes,"
                    + " bit 30 of the tag stands for class 1.",
            ""
        })
public final class ServeCommand extends ToolCommand implements Callable<Integer> {
    private static final long END_MS = 20_000;

    @Parameters(
            paramLabel = "ADDRESS",
            description = "Where to listen, for example tcp://127.0.0.1:0.")
    private String address;

    @Mixin private DialectOption dialect;

    @Override
    public Integer call() throws ToolException {
        ListenAddresses listening = new ListenAddresses(List.of(address));
        listening.checkEcho(this::wrongUse);
        CountDownLatch closed = new CountDownLatch(1);
        BmiBuilder builder =
                Bmi.builder()
                        .knob("tcp.dialect", dialect.label())
                        .knob("tcp.bindSpecific", "true")
                        .automaticReferences(false)
                        .listen(address);
        try (Bmi bmi = Misuse.check(this::wrongUse, builder::open);
                CompletionContext context = bmi.openContext()) {
            PrintWriter out = spec().commandLine().getOut();
            out.println(listening.resolved(bmi));
            showReady(out);
            // The limit of memory outside the heap is that of the heap; the library needs some,
            // too.
            long mostBytes = Runtime.getRuntime().maxMemory() / 2;
            EchoServer server = new EchoServer(bmi, context, dialect, mostBytes);
            Thread own = Thread.currentThread();
            Thread ending =
                    Thread.ofPlatform()
                            .unstarted(
                                    () -> {
                                        server.stop();
                                        own.interrupt();
                                        EndInOrder.awaitOrHalt(closed, END_MS);
                                    });
            Runtime.getRuntime().addShutdownHook(ending);
            server.run();
            return 0;
        } finally {
            closed.countDown();
        }
    }
}
