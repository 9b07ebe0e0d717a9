package org.jbmi.zoid.channel;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.link.LaneChannel;
import org.jbmi.zbmi.link.LaneConsumer;
import org.jbmi.zbmi.link.LaneProducer;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.Welcome;

/** A command channel of somebody else: every word is inverted on its way. */
public final class InvertedChannelProvider implements CommandPortProvider {
    @Override
    public String name() {
        return "inverted";
    }

    private static void invert(Message message) {
        for (int i = 0; i < message.wordCount(); i++) {
            message.setWord(i, ~message.word(i));
        }
    }

    private record Source(MessageSource lane) implements MessageSource {
        @Override
        public int poll(Message into) {
            int result = lane.poll(into);
            if (result == RECEIVED) {
                invert(into);
            }
            return result;
        }

        @Override
        public boolean hasMessage() {
            return lane.hasMessage();
        }

        @Override
        public boolean takeCreditDue() {
            return lane.takeCreditDue();
        }
    }

    private record Sink(MessageSink lane) implements MessageSink {
        @Override
        public int offer(Message message) {
            Message copy = new Message();
            copy.copyFrom(message);
            invert(copy);
            return lane.offer(copy);
        }

        @Override
        public int room() {
            return lane.room();
        }
    }

    private static final class Channel extends LaneChannel {
        Channel(PeerAttachment attachment, PeerEvents events, SessionArea area) {
            super(
                    attachment,
                    events,
                    new Source(
                            new LaneConsumer(
                                    attachment.memory(),
                                    area.towardPeerOffset(),
                                    area.laneSlots(),
                                    area.consumedByPeerOffset(),
                                    area.engineWantsCreditOffset(),
                                    attachment.welcome().generation())),
                    new Sink(
                            new LaneProducer(
                                    attachment.memory(),
                                    area.towardEngineOffset(),
                                    area.laneSlots(),
                                    area.consumedByEngineOffset(),
                                    attachment.welcome().generation())));
        }
    }

    @Override
    public PeerChannel open(PeerAttachment attachment, PeerEvents events) {
        int session = attachment.welcome().session();
        return new Channel(attachment, events, attachment.map().session(session));
    }

    @Override
    public LanePort host(EngineSegment segment, Welcome welcome, int maxBacklog) {
        SessionArea area = segment.map().session(welcome.session());
        return new LanePort(
                segment,
                welcome,
                maxBacklog,
                new Source(
                        new LaneConsumer(
                                segment.memory(),
                                area.towardEngineOffset(),
                                area.laneSlots(),
                                area.consumedByEngineOffset(),
                                area.peerWantsCreditOffset(),
                                welcome.generation())),
                new Sink(
                        new LaneProducer(
                                segment.memory(),
                                area.towardPeerOffset(),
                                area.laneSlots(),
                                area.consumedByPeerOffset(),
                                welcome.generation())));
    }
}
