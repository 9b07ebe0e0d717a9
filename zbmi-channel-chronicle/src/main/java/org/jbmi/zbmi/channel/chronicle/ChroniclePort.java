package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.channel.chronicle.QueueFiles.Opening;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The engine's end of a channel through queues. To open a queue can take a second, and the engine
 * has clients to serve: so a thread of its own does that and ends. Until then nothing comes, and
 * what the engine says waits, as it does when there is no room. Then the thread rings the doorbell
 * as the server would.
 */
final class ChroniclePort extends LanePort {
    /** Less than a daemon waits for its engine's thread, which waits for this. */
    private static final long OPENING_MS = TimeUnit.SECONDS.toMillis(2);

    private final QueueFiles files;
    private final ChannelFolder folder;
    private final ChannelState state;
    private final Waiting waiting;
    private final ChronicleSource source;
    private final ChronicleSink sink;
    private @Nullable Opening opening;
    private boolean isOver;
    private boolean isClosed;
    private volatile boolean isClosing;
    private volatile @Nullable String failure;

    private ChroniclePort(
            EngineSegment segment, Welcome welcome, int maxBacklog, QueueSettings settings) {
        SharedMemory memory = segment.memory();
        SessionArea area = segment.map().session(welcome.session());
        QueueFiles files = settings.files();
        ChannelFolder folder = ChannelFolder.of(files, welcome);
        ChronicleSource source =
                new ChronicleSource(
                        ChannelState.commands(settings, folder, memory, area),
                        area.peerWantsCreditOffset());
        ChronicleSink sink = new ChronicleSink(ChannelState.events(settings, folder, memory, area));
        super(segment, welcome, maxBacklog, source, sink);
        this.files = files;
        this.folder = folder;
        this.state = new ChannelState(memory, area);
        this.waiting = segment.waiting();
        this.source = source;
        this.sink = sink;
    }

    /**
     * Opens one, but for its queues, which a thread is about to open.
     *
     * @throws BmiException with {@link ErrorCode#ENOMEM} if no thread can be started
     */
    static ChroniclePort open(
            EngineSegment segment,
            Welcome welcome,
            int maxBacklog,
            QueueSettings settings,
            boolean keepsFiles) {
        ChroniclePort port = new ChroniclePort(segment, welcome, maxBacklog, settings);
        try {
            port.opening = port.files.begin(() -> port.openQueues(keepsFiles));
        } catch (OutOfMemoryError e) {
            // A host refuses its peer for the error as well, but cannot say what lacks.
            throw new BmiException(
                    ErrorCode.ENOMEM,
                    "No thread can be started to open the queues: " + e.getMessage(),
                    e);
        }
        return port;
    }

    private void openQueues(boolean keepsFiles) {
        @Nullable String why =
                "its opening was broken off"; // by an error that nobody here can treat
        try {
            folder.create(keepsFiles);
            source.open(keepsFiles);
            if (!isClosing) {
                sink.open();
            }
            why = null;
        } catch (IOException | RuntimeException | LinkageError | InternalError | AssertionError e) {
            why = "its queues cannot be opened; the host's log says why";
            System.getLogger(ChroniclePort.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot open " + folder.path(), e);
        } finally {
            if (!isInTime(why)) {
                clear();
            }
        }
    }

    private synchronized boolean isInTime(@Nullable String why) {
        isOver = true;
        if (!isClosed) {
            failure = why;
            state.opened(why == null, waiting);
            ring();
        }
        return !isClosed;
    }

    @Override
    public int poll(Message into) {
        return failure == null ? super.poll(into) : BROKEN;
    }

    @Override
    public @Nullable String brokenReason() {
        String own = failure;
        return own == null ? super.brokenReason() : own;
    }

    // An opening that is still under way clears up by itself; the session's part of the segment is
    // another one's then. So the engine never waits for an opening.
    @Override
    public void close() {
        isClosing = true;
        if (wasOpened()) {
            clear();
        }
    }

    // Else the process could end before the opening has cleared up, and leave a folder behind.
    @Override
    public void closeAtEnd() {
        close();
        Opening begun = opening;
        if (begun != null) {
            begun.await(OPENING_MS);
        }
    }

    private synchronized boolean wasOpened() {
        isClosed = true;
        return isOver;
    }

    private void clear() {
        source.close();
        sink.close();
        folder.release();
    }
}
