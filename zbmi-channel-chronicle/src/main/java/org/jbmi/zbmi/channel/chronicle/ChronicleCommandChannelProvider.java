package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.Welcome;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Makes {@code chronicle} channels: a Chronicle Queue in each direction, in a folder beside the
 * segment, and the doorbell of the segment beside them.
 */
public final class ChronicleCommandChannelProvider implements CommandPortProvider {
    /** The name. */
    public static final String NAME = "chronicle";

    private static final long OPENING_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final QueueSettings settings;
    private final boolean keepsFiles;

    /** For {@link java.util.ServiceLoader}. */
    public ChronicleCommandChannelProvider() {
        this(QueueSettings.usual(), false);
    }

    /**
     * Makes channels of other queues than this machine's.
     *
     * @param files whose they are
     * @param bound most messages in one, a power of two, 4 or more
     * @param messagesPerFile after so many a new file begins; 1 or more
     * @throws IllegalArgumentException for a number that makes no sense, in words
     */
    public ChronicleCommandChannelProvider(QueueFiles files, int bound, int messagesPerFile) {
        this(new QueueSettings(files, bound, messagesPerFile), false);
    }

    private ChronicleCommandChannelProvider(QueueSettings settings, boolean keepsFiles) {
        this.settings = settings;
        this.keepsFiles = keepsFiles;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public CommandPortProvider keepingFiles(boolean keep) {
        return new ChronicleCommandChannelProvider(settings, keep);
    }

    @Override
    public Optional<String> unavailabilityReason() {
        return settings.files().unavailabilityReason();
    }

    @Override
    public LanePort host(EngineSegment segment, Welcome welcome, int maxBacklog) {
        return ChroniclePort.open(segment, welcome, maxBacklog, settings, keepsFiles);
    }

    @Override
    public PeerChannel open(PeerAttachment attachment, PeerEvents events) {
        SharedMemory memory = attachment.memory();
        SessionArea area = attachment.map().session(attachment.welcome().session());
        awaitOpened(attachment, new ChannelState(memory, area));
        ChannelFolder folder = ChannelFolder.of(settings.files(), attachment.welcome());
        ChronicleSource source =
                new ChronicleSource(
                        ChannelState.events(settings, folder, memory, area),
                        area.engineWantsCreditOffset());
        ChronicleSink sink =
                new ChronicleSink(ChannelState.commands(settings, folder, memory, area));
        boolean isOpen = false;
        try {
            source.open(folder.isKept());
            sink.open();
            PeerChannel channel =
                    new ChronicleCommandChannel(attachment, events, source, sink, folder);
            isOpen = true;
            return channel;
        } catch (IOException | RuntimeException | LinkageError | InternalError | AssertionError e) {
            throw failure(ErrorCode.EIO, "the queues in " + folder.path() + ": " + e);
        } finally {
            if (!isOpen) {
                source.close();
                sink.close();
                folder.leave();
            }
        }
    }

    private static BmiException failure(ErrorCode code, String why) {
        return new BmiException(
                code, "The command channel " + NAME + " cannot be opened: " + why + ".");
    }

    private static void awaitOpened(PeerAttachment attachment, ChannelState state) {
        long startNs = attachment.clock().nanoTime();
        while (!state.isDecided()) {
            if (attachment.isHungUp()) {
                throw failure(ErrorCode.ENETDOWN, "the daemon has ended the session");
            }
            if (attachment.clock().nanoTime() - startNs > OPENING_NS) {
                throw failure(ErrorCode.ETIMEDOUT, "the daemon does not open its queues");
            }
            state.await(attachment.waiting(), SLICE_NS);
        }
        if (!state.isOpen()) {
            throw failure(ErrorCode.EIO, "the daemon cannot open its queues, and has logged why");
        }
    }

    // Also those of dead daemons, whose segments are removed first.
    @Override
    public void sweep(Path segmentDirectory, String prefix) {
        ChannelFolder.sweep(settings.files(), segmentDirectory, prefix);
    }
}
