package org.jbmi.tools.tcp;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.tools.cli.ListenAddresses;
import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.text.Quantities;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.Callable;

/** The command {@code bmi ping}. */
@Command(
        name = "ping",
        versionProvider = ToolVersion.class,
        description = {
            "Sends messages to 'bmi serve' and compares the answers.",
            "",
            "Exit status 0 only if every message came back with its bytes.",
            ""
        })
public final class PingCommand extends ToolCommand implements Callable<Integer> {
    private static final long TIMEOUT_MS = 30_000;
    private static final int FIRST_TAG = 1;

    private static final ValueLayout.OfLong LENGTH =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    @Parameters(
            paramLabel = "ADDRESS",
            description = "The address of the server, as 'bmi serve' printed it.")
    private String address;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            defaultValue = "64",
            description = "The length of each message; default: ${DEFAULT-VALUE}.")
    private int bytes;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many messages; default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(
            names = "--expected",
            description =
                    "Announce each message by an unexpected one of class 1, and send it as an"
                            + " expected one.")
    private boolean expected;

    @Option(
            names = "--class",
            paramLabel = "C",
            defaultValue = "0",
            description =
                    "The class of unexpected messages, 0 to 255; 1 is --expected; default:"
                            + " ${DEFAULT-VALUE}.")
    private int messageClass;

    @Mixin private DialectOption dialect;

    private final Completions done = Completions.ofCapacity(1);
    private boolean anyCameBack;

    @Override
    public Integer call() throws ToolException {
        ListenAddresses at = new ListenAddresses(List.of(address.split(",")));
        at.checkEcho(this::wrongUse);
        if (bytes < 0) {
            throw wrongUse("--bytes is 0 or more, not " + bytes);
        }
        if (count < 1) {
            throw wrongUse("--count is 1 or more, not " + count);
        }
        if (messageClass < 0 || messageClass > 255) {
            throw wrongUse("--class is 0 to 255, not " + messageClass);
        }
        if (!dialect.hasClass(messageClass)) {
            throw wrongUse("The OrangeFS dialect knows class 0 and 1 only");
        }
        PrintWriter out = spec().commandLine().getOut();
        try (Bmi bmi = Bmi.builder().knob("tcp.dialect", dialect.label()).open();
                CompletionContext context = bmi.openContext();
                Arena arena = Arena.ofShared()) {
            // Of the whole list a look-up takes the first method that is available.
            String overTcp = String.join(",", at.tcp());
            PeerAddress server = Misuse.check(this::wrongUse, () -> bmi.lookup(overTcp));
            String free = at.withFreePort();
            if (free != null) {
                throw wrongUse(free + " has no port: give that which 'bmi serve' printed");
            }
            checkSize(bmi);
            MemorySegment sent = memory(arena);
            MemorySegment received = memory(arena);
            long least = Long.MAX_VALUE;
            long sum = 0;
            for (int i = 0; i < count; i++) {
                fill(sent, i);
                received.fill((byte) 0);
                long ns = round(context, server, FIRST_TAG + i, sent, received);
                if (sent.mismatch(received) >= 0) {
                    throw new ToolException("Message " + (i + 1) + " came back with other bytes.");
                }
                anyCameBack = true;
                least = Math.min(least, ns);
                sum += ns;
                out.println(bytes + " bytes from " + address + ": " + micros(ns) + " us");
            }
            out.println(
                    count
                            + " sent, "
                            + count
                            + " came back; least "
                            + micros(least)
                            + " us, mean "
                            + micros(sum / count)
                            + " us");
            return 0;
        }
    }

    /** Before memory is taken, which is the heap's limit at the most. */
    private void checkSize(Bmi bmi) {
        boolean isExpected = isAnnounced();
        long mostBytes =
                bmi.getOption(
                        isExpected ? Options.MAX_EXPECTED_BYTES : Options.MAX_UNEXPECTED_BYTES);
        if (bytes > mostBytes) {
            throw wrongUse(
                    "--bytes is at most "
                            + mostBytes
                            + (isExpected ? "" : "; a longer message needs --expected"));
        }
    }

    private boolean isAnnounced() {
        return expected || messageClass == 1;
    }

    private static String micros(long ns) {
        return Quantities.decimal(ns / 1000.0);
    }

    private MemorySegment memory(Arena arena) {
        return arena.allocate(Math.max(1, bytes)).asSlice(0, bytes);
    }

    private static void fill(MemorySegment memory, int number) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + number * 17L + 7));
        }
    }

    private long round(
            CompletionContext context,
            PeerAddress server,
            int plainTag,
            MemorySegment sent,
            MemorySegment received)
            throws ToolException {
        boolean announced = isAnnounced();
        int kind = announced ? 1 : messageClass;
        int tag = dialect.wireTag(plainTag, kind);
        long beginNs = System.nanoTime();
        long answer = context.postReceive(server, received, tag);
        long size = announced ? -1 : sent.byteSize();
        if (announced) {
            MemorySegment length = Arena.ofAuto().allocate(Long.BYTES);
            length.set(LENGTH, 0, sent.byteSize());
            finish(context, unexpected(context, server, length, tag, kind), Long.BYTES);
            finish(context, context.postSend(server, sent, tag), sent.byteSize());
            size = sent.byteSize();
        } else {
            finish(context, unexpected(context, server, sent, tag, kind), size);
        }
        finish(context, answer, size);
        return System.nanoTime() - beginNs;
    }

    /** The usual reason why a server ends a connection at its first message. */
    private String hint(long code) {
        boolean ended =
                code == ErrorCode.EPIPE.negativeValue()
                        || code == ErrorCode.ECONNRESET.negativeValue()
                        || code == ErrorCode.EBADMSG.negativeValue();
        return ended && !anyCameBack
                ? " Does the server speak the dialect " + dialect.label() + "?"
                : "";
    }

    private long unexpected(
            CompletionContext context,
            PeerAddress server,
            MemorySegment memory,
            int tag,
            int kind) {
        return context.postSendUnexpected(
                server, memory, tag, dialect.wireClass(kind), null, PostOptions.NONE);
    }

    private void finish(CompletionContext context, long result, long size) throws ToolException {
        long moved = result;
        if (PostResult.isPending(result)) {
            if (context.test(result, done, TIMEOUT_MS) != 1) {
                throw new ToolException(
                        "The server does not answer within "
                                + TIMEOUT_MS / 1000
                                + " s: is it 'bmi serve', with the same --dialect?");
            }
            moved =
                    !done.outcome(0).isSuccess()
                            ? done.outcome(0).negativeValue()
                            : done.sizeBytes(0);
        }
        if (moved < 0) {
            throw new ToolException(
                    "A message to "
                            + address
                            + " failed: "
                            + ErrorCode.of(moved)
                            + "."
                            + hint(moved));
        }
        if (moved != size) {
            throw new ToolException(
                    "The answer has "
                            + moved
                            + " bytes and not "
                            + size
                            + ": is it 'bmi serve', with the same --dialect?");
        }
    }
}
