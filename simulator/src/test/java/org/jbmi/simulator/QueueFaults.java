package org.jbmi.simulator;

import org.jbmi.testsuite.fault.Planted;

import java.util.List;
import java.util.stream.Stream;

/** Faults of the command channels, which {@link PlantedFaultsTest} plants. */
final class QueueFaults {
    private static final String QUEUES = "org.jbmi.zbmi.host.mq.";
    private static final String CHRONICLE = "org.jbmi.zbmi.channel.chronicle.";

    private QueueFaults() {}

    static Stream<Planted> all() {
        return Stream.concat(ofQueues().stream(), ofChronicle().stream());
    }

    private static List<Planted> ofQueues() {
        return List.of(
                Planted.call(
                        "queues: what is full is broken",
                        QUEUES + "MqEnd",
                        "offer",
                        "isTransient",
                        0),
                Planted.call(
                        "queues: messages to the server vanish",
                        QUEUES + "MqPort",
                        "send",
                        "offer",
                        1));
    }

    private static List<Planted> ofChronicle() {
        return List.of(
                Planted.body(
                        "chronicle: messages are counted and not written",
                        CHRONICLE + "ChronicleSink",
                        "append",
                        1),
                Planted.body(
                        "chronicle: what was read is not said",
                        CHRONICLE + "ChronicleSource",
                        "publish",
                        0),
                Planted.call(
                        "chronicle: a late opening clears nothing up",
                        CHRONICLE + "ChroniclePort",
                        "openQueues",
                        "clear",
                        0),
                Planted.body(
                        "chronicle: what the library made again stays",
                        CHRONICLE + "ChannelFolder",
                        "leave",
                        0),
                Planted.call(
                        "chronicle: what is to be kept goes with its session",
                        CHRONICLE + "ChannelFolder",
                        "release",
                        "isKept",
                        0));
    }
}
