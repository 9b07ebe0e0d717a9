package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.mempool.DeadSegment;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.channel.CommandChannel;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.link.EnginePort;
import org.jbmi.zbmi.link.EngineSegment;
import org.jbmi.zbmi.link.LanePort;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.Welcome;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes {@code chronicle} channels: a Chronicle Queue in each direction, in a folder beside the
 * segment, and the doorbell of the segment beside them.
 */
public final class ChronicleCommandChannelProvider implements CommandChannelProvider {
    /** The name. */
    public static final String NAME = "chronicle";

    /** Whether files that were read stay. */
    public static final Knob<Boolean> KEEP =
            Knob.flag(
                    "zbmi.chronicleKeep",
                    false,
                    "Whether the files of a chronicle channel stay after they were read, until the"
                            + " session ends.");

    private static final String SUFFIX = ".chronicle";

    /** For {@link java.util.ServiceLoader}. */
    public ChronicleCommandChannelProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<String> unavailabilityReason() {
        return ChronicleFlags.missing();
    }

    private static boolean keepFiles() {
        return Configuration.resolve(List.of(KEEP), Map.of()).get(KEEP);
    }

    private static Path folder(Path segmentFile) {
        return segmentFile.resolveSibling(segmentFile.getFileName() + SUFFIX);
    }

    private static ChronicleDirection commands(Path folder, SharedMemory memory, SessionArea area) {
        return new ChronicleDirection(
                folder.resolve("commands"),
                memory,
                area.towardDaemonOffset(),
                area.consumedByEngineOffset());
    }

    private static ChronicleDirection events(Path folder, SharedMemory memory, SessionArea area) {
        return new ChronicleDirection(
                folder.resolve("events"),
                memory,
                area.towardPeerOffset(),
                area.consumedByPeerOffset());
    }

    @Override
    public EnginePort host(EngineSegment segment, Welcome welcome, int maxBacklog) {
        Path folder = folder(Path.of(welcome.segmentPath()));
        SharedMemory memory = segment.memory();
        SessionArea area = segment.map().session(welcome.session());
        removeTree(folder);
        area.reset(memory);
        ChronicleSource source = null;
        ChronicleSink sink = null;
        try {
            Files.createDirectory(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            source =
                    new ChronicleSource(
                            commands(folder, memory, area),
                            area.peerWantsCreditOffset(),
                            keepFiles());
            sink = new ChronicleSink(events(folder, memory, area));
            return new ChroniclePort(
                    new LanePort(segment, welcome, maxBacklog, source, sink), source, sink, folder);
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO, "Cannot make the chronicle channel " + folder + ": " + e, e);
        } finally {
            if (source != null && sink == null) {
                source.close();
                removeTree(folder);
            }
        }
    }

    @Override
    public CommandChannel open(PeerAttachment attachment, PeerEvents events) {
        Path folder = folder(Path.of(attachment.welcome().segmentPath()));
        SessionArea area = attachment.map().session(attachment.welcome().session());
        ChronicleSource source =
                new ChronicleSource(
                        events(folder, attachment.memory(), area),
                        area.engineWantsCreditOffset(),
                        keepFiles());
        ChronicleSink sink = new ChronicleSink(commands(folder, attachment.memory(), area));
        return new ChronicleCommandChannel(attachment, events, source, sink);
    }

    @Override
    public void sweep(DeadSegment dead) {
        removeTree(folder(dead.file()));
    }

    static void removeTree(Path folder) {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            System.getLogger(ChronicleCommandChannelProvider.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove " + folder, e);
        }
    }

    /** The engine's end. */
    private record ChroniclePort(
            LanePort port, ChronicleSource source, ChronicleSink sink, Path folder)
            implements EnginePort {
        @Override
        public int poll(Message into) {
            return port.poll(into);
        }

        @Override
        public boolean send(Message message) {
            return port.send(message);
        }

        @Override
        public int flush() {
            return port.flush();
        }

        @Override
        public int signal() {
            return port.signal();
        }

        @Override
        public boolean goCold() {
            return port.goCold();
        }

        @Override
        public @Nullable String brokenReason() {
            return port.brokenReason();
        }

        @Override
        public void close() {
            source.close();
            sink.close();
            removeTree(folder);
        }
    }
}
