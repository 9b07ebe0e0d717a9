package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.DeadSegment;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.channel.CommandChannel;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.link.EnginePort;
import org.jbmi.zbmi.link.EngineSegment;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.Welcome;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes {@code chronicle} channels: a Chronicle Queue in each direction, in a folder beside the
 * segment, and the doorbell of the segment beside them.
 */
public final class ChronicleCommandChannelProvider implements CommandChannelProvider {
    /** The name. */
    public static final String NAME = "chronicle";

    private static final long OPENING_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final boolean keepsFiles;

    /** For {@link java.util.ServiceLoader}. */
    public ChronicleCommandChannelProvider() {
        this(false);
    }

    private ChronicleCommandChannelProvider(boolean keepsFiles) {
        this.keepsFiles = keepsFiles;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public CommandChannelProvider keepingFiles(boolean keep) {
        return new ChronicleCommandChannelProvider(keep);
    }

    @Override
    public Optional<String> unavailabilityReason() {
        return ChronicleFlags.missing();
    }

    @Override
    public EnginePort host(EngineSegment segment, Welcome welcome, int maxBacklog) {
        return ChroniclePort.open(segment, welcome, maxBacklog, keepsFiles);
    }

    @Override
    public CommandChannel open(PeerAttachment attachment, PeerEvents events) {
        SharedMemory memory = attachment.memory();
        SessionArea area = attachment.map().session(attachment.welcome().session());
        awaitOpened(attachment, new ChannelState(memory, area));
        ChannelFolder folder = ChannelFolder.of(attachment.welcome());
        ChronicleSource source =
                new ChronicleSource(
                        ChannelState.events(folder, memory, area), area.engineWantsCreditOffset());
        ChronicleSink sink = new ChronicleSink(ChannelState.commands(folder, memory, area));
        boolean isOpen = false;
        try {
            source.open(folder.isKept());
            sink.open();
            isOpen = true;
            return new ChronicleCommandChannel(attachment, events, source, sink);
        } catch (IOException | RuntimeException e) {
            throw failure(ErrorCode.EIO, "the queues in " + folder.path() + ": " + e);
        } finally {
            if (!isOpen) {
                source.close();
                sink.close();
            }
        }
    }

    private static BmiException failure(ErrorCode code, String why) {
        return new BmiException(
                code, "The command channel " + NAME + " cannot be opened: " + why + ".");
    }

    private static void awaitOpened(PeerAttachment attachment, ChannelState state) {
        long startNs = attachment.clock().nanoTime();
        long daemonPid = attachment.welcome().daemonPid();
        boolean isInterrupted = false;
        while (!state.isDecided()) {
            if (ProcessHandle.of(daemonPid).isEmpty()) {
                throw failure(ErrorCode.ENETDOWN, "the daemon has gone");
            }
            if (attachment.clock().nanoTime() - startNs > OPENING_NS) {
                throw failure(ErrorCode.ETIMEDOUT, "the daemon does not open its queues");
            }
            LockSupport.parkNanos(state, LOOK_NS);
            isInterrupted |= Thread.interrupted();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (!state.isOpen()) {
            throw failure(ErrorCode.EIO, "the daemon cannot open its queues, and has logged why");
        }
    }

    @Override
    public void sweep(DeadSegment dead) {
        ChannelFolder.sweep(dead);
    }
}
