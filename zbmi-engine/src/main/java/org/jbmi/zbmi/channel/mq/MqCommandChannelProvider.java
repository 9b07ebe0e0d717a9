package org.jbmi.zbmi.channel.mq;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.DeadSegment;
import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.zbmi.channel.CommandChannel;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.link.EnginePort;
import org.jbmi.zbmi.link.EngineSegment;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.Welcome;

import java.util.Optional;

/**
 * Makes {@code posix-mq} channels: the kernel's message queues for commands, events and answers,
 * with the doorbell of the segment beside them.
 */
public final class MqCommandChannelProvider implements CommandChannelProvider {
    /** The name. */
    public static final String NAME = "posix-mq";

    private static final int MIN_DEPTH = 2;

    /** For {@link java.util.ServiceLoader}. */
    public MqCommandChannelProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<String> unavailabilityReason() {
        return MessageQueues.unavailabilityReason()
                .or(() -> Optional.ofNullable(MqLimits.read().tooSmall()));
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
    public EnginePort host(EngineSegment segment, Welcome welcome, int maxBacklog) {
        requireAvailable();
        MqLimits limits = MqLimits.read();
        MqNames names = MqNames.of(welcome);
        names.unlinkAll();
        MqEnd command = create(names.command(), MessageQueues.End.RECEIVE, limits);
        MqEnd events = null;
        try {
            events = create(names.events(), MessageQueues.End.SEND, limits);
            return new MqPort(segment, welcome, maxBacklog, names, command, events);
        } finally {
            if (events == null) {
                command.close();
                names.unlinkAll();
            }
        }
    }

    // Others of this user may have most of its share already: shallower queues will do.
    private static MqEnd create(String name, MessageQueues.End end, MqLimits limits) {
        int depth = limits.depth();
        int descriptor = MessageQueues.create(name, end, depth, Message.MAX_BYTES);
        while (descriptor == -Errno.EMFILE && depth > MIN_DEPTH) {
            depth = Math.max(MIN_DEPTH, depth / 2);
            descriptor = MessageQueues.create(name, end, depth, Message.MAX_BYTES);
        }
        if (descriptor < 0) {
            throw failure(ErrorCode.ENOSPC, limits.explain(-descriptor));
        }
        return new MqEnd(descriptor);
    }

    @Override
    public CommandChannel open(PeerAttachment attachment, PeerEvents events) {
        requireAvailable();
        MqLimits limits = MqLimits.read();
        MqNames names = MqNames.of(attachment.welcome());
        MqEnd command = join(names.command(), MessageQueues.End.SEND, limits);
        MqEnd inbound = null;
        try {
            inbound = join(names.events(), MessageQueues.End.RECEIVE, limits);
            ReplyQueues replies = new ReplyQueues(names, limits);
            return new MqCommandChannel(
                    attachment, events, new MqCommandChannel.Queues(command, inbound, replies));
        } finally {
            if (inbound == null) {
                command.close();
            }
        }
    }

    private static MqEnd join(String name, MessageQueues.End end, MqLimits limits) {
        int descriptor = MessageQueues.open(name, end);
        MessageQueues.unlink(name);
        if (descriptor < 0) {
            throw failure(ErrorCode.ENETDOWN, limits.explain(-descriptor));
        }
        return new MqEnd(descriptor);
    }

    @Override
    public void sweep(DeadSegment dead) {
        if (MessageQueues.unavailabilityReason().isEmpty() && dead.generation() != 0) {
            new MqNames(dead.ownerPid(), dead.generation()).unlinkAll();
        }
    }
}
