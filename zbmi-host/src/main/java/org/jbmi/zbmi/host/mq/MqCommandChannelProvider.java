package org.jbmi.zbmi.host.mq;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.DeadSegment;
import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Makes {@code posix-mq} channels: the kernel's message queues for commands, events and answers,
 * with the doorbell of the segment beside them.
 */
public final class MqCommandChannelProvider implements CommandPortProvider {
    /** The name. */
    public static final String NAME = "posix-mq";

    private static final int MIN_DEPTH = 2;

    private final MqSystem system;
    private final Supplier<MqLimits> limits;

    /** For {@link java.util.ServiceLoader}. */
    public MqCommandChannelProvider() {
        this.system = MqSystem.KERNEL;
        this.limits = MqLimits::read;
    }

    /**
     * Makes channels of other queues than the kernel's.
     *
     * @param depth most messages in one
     * @param replyQueues most of them for answers
     */
    public MqCommandChannelProvider(MqSystem system, int depth, int replyQueues) {
        MqLimits own = new MqLimits(depth, Message.MAX_BYTES, 2L + replyQueues, Long.MAX_VALUE);
        this.system = system;
        this.limits = () -> own;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<String> unavailabilityReason() {
        return system.unavailabilityReason();
    }

    private void requireAvailable() {
        unavailabilityReason()
                .ifPresent(
                        why -> {
                            throw failure(ErrorCode.ENOSYS, why);
                        });
    }

    private static BmiException failure(ErrorCode code, String why) {
        return new BmiException(
                code, "The command channel " + NAME + " cannot be opened: " + why + ".");
    }

    @Override
    public LanePort host(EngineSegment segment, Welcome welcome, int maxBacklog) {
        requireAvailable();
        MqLimits own = limits.get();
        MqNames names = MqNames.of(welcome);
        names.unlinkAll(system);
        MqEnd command = null;
        MqEnd events = null;
        MqPort made = null;
        try {
            command = create(names.command(), MessageQueues.End.RECEIVE, own);
            events = create(names.events(), MessageQueues.End.SEND, own);
            made = new MqPort(segment, welcome, maxBacklog, system, names, command, events);
            return made;
        } finally {
            if (made == null) {
                closeAll(command, events);
                names.unlinkAll(system);
            }
        }
    }

    // Other processes of this user may use most of its share already: shallower queues will do.
    private MqEnd create(String name, MessageQueues.End end, MqLimits own) {
        int depth = own.depth();
        int descriptor = system.create(name, end, depth, Message.MAX_BYTES);
        while (descriptor == -Errno.EMFILE && depth > MIN_DEPTH) {
            depth = Math.max(MIN_DEPTH, depth / 2);
            descriptor = system.create(name, end, depth, Message.MAX_BYTES);
        }
        if (descriptor < 0) {
            throw failure(ErrorCode.ENOSPC, own.explain(-descriptor));
        }
        return MqEnd.of(system, descriptor);
    }

    @Override
    public PeerChannel open(PeerAttachment attachment, PeerEvents events) {
        requireAvailable();
        MqLimits own = limits.get();
        MqNames names = MqNames.of(attachment.welcome());
        MqEnd command = join(names.command(), MessageQueues.End.SEND, own);
        MqEnd inbound = null;
        MqCommandChannel made = null;
        try {
            inbound = join(names.events(), MessageQueues.End.RECEIVE, own);
            ReplyQueues replies = new ReplyQueues(system, names, own);
            made =
                    new MqCommandChannel(
                            attachment,
                            events,
                            new MqCommandChannel.Queues(command, inbound, replies));
            return made;
        } finally {
            if (made == null) {
                closeAll(command, inbound);
            }
        }
    }

    private static void closeAll(@Nullable MqEnd one, @Nullable MqEnd other) {
        if (one != null) {
            one.close();
        }
        if (other != null) {
            other.close();
        }
    }

    private MqEnd join(String name, MessageQueues.End end, MqLimits own) {
        int descriptor = system.open(name, end);
        system.unlink(name);
        if (descriptor < 0) {
            throw failure(ErrorCode.ENETDOWN, own.explain(-descriptor));
        }
        return MqEnd.of(system, descriptor);
    }

    @Override
    public void sweep(DeadSegment dead) {
        if (system.unavailabilityReason().isEmpty() && dead.generation() != 0) {
            new MqNames(dead.ownerPid(), dead.generation()).unlinkAll(system);
        }
    }
}
