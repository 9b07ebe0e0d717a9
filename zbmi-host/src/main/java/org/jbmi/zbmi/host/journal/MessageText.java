package org.jbmi.zbmi.host.journal;

import org.jbmi.zbmi.protocol.Message;

import java.util.List;
import java.util.Map;

/** Messages as people read them. */
final class MessageText {
    /** A name, and for each word its own; "a|b" for two halves. */
    private record Shape(String name, List<String> words) {
        static Shape of(String name, String... words) {
            return new Shape(name, List.of(words));
        }
    }

    private static final Map<Integer, Shape> SHAPES =
            Map.ofEntries(
                    Map.entry(
                            0x001,
                            Shape.of(
                                    "SEND",
                                    "call",
                                    "ref",
                                    "tag|slot",
                                    "bytes",
                                    "timeoutMs|",
                                    "sequence")),
                    Map.entry(
                            0x002,
                            Shape.of("RECEIVE", "call", "ref", "tag|", "room", "timeoutMs|")),
                    Map.entry(
                            0x003,
                            Shape.of(
                                    "SEND_UNEXPECTED",
                                    "call",
                                    "ref",
                                    "tag|slot",
                                    "bytes",
                                    "timeoutMs|class",
                                    "sequence")),
                    Map.entry(0x004, Shape.of("TEST", "call", "timeoutMs")),
                    Map.entry(0x005, Shape.of("DISARM", "call")),
                    Map.entry(0x006, Shape.of("DONE", "grant", "bytes", "status")),
                    Map.entry(0x007, Shape.of("WITHDRAW", "operation", "ref")),
                    Map.entry(0x008, Shape.of("EXPIRES", "operation", "ref", "ms")),
                    Map.entry(0x009, Shape.of("CANCELLED", "number", "ref")),
                    Map.entry(0x00a, Shape.of("SEND_SHORT", "bytes", "ref", "tag|class")),
                    Map.entry(0x00b, Shape.of("SEND_LENT", "bytes|slot", "tag|class")),
                    Map.entry(0x101, Shape.of("PENDING", "call", "ref", "operation")),
                    Map.entry(
                            0x102,
                            Shape.of(
                                    "GRANT",
                                    "call",
                                    "ref",
                                    "operation",
                                    "grant",
                                    "bytes",
                                    "offset",
                                    "list",
                                    "entries",
                                    "window|partner",
                                    "claim")),
                    Map.entry(0x107, Shape.of("ACCEPTED", "call", "ref")),
                    Map.entry(0x103, Shape.of("COMPLETED", "call", "ref", "bytes")),
                    Map.entry(0x104, Shape.of("FAILED", "call", "ref", "code|")),
                    Map.entry(0x105, Shape.of("TEST_REPLY", "call", "pushed")),
                    Map.entry(0x106, Shape.of("DATA", "call", "ref", "bytes")),
                    Map.entry(0x108, Shape.of("DATA_SLOT", "call", "ref", "bytes", "slot")),
                    Map.entry(0x201, post("POST_SEND", "bytes")),
                    Map.entry(0x202, post("POST_RECEIVE", "room")),
                    Map.entry(0x203, Shape.of("CANCEL", "call", "ref", "zoid")),
                    Map.entry(0x204, Shape.of("UNEXPECTED_FREE", "offset")),
                    Map.entry(0x205, Shape.of("FINISH", "call")),
                    Map.entry(0x301, Shape.of("REGISTERED", "call", "ref", "zoid")),
                    Map.entry(0x302, Shape.of("POST_COMPLETED", "call", "ref", "bytes")),
                    Map.entry(0x303, Shape.of("POST_REFUSED", "call", "ref", "code|")),
                    Map.entry(0x304, Shape.of("CANCEL_REPLY", "call", "ref", "outcome|")),
                    Map.entry(0x305, Shape.of("FINISH_REPLY", "call", "movers|")),
                    Map.entry(
                            0x306,
                            Shape.of("COMPLETION", "ref", "code|", "bytes", "client|generation")),
                    Map.entry(
                            0x307,
                            Shape.of(
                                    "UNEXPECTED",
                                    "client|generation",
                                    "tag|class",
                                    "offset",
                                    "bytes",
                                    "message")),
                    Map.entry(0x308, Shape.of("CLIENT_ATTACHED", "client|generation")),
                    Map.entry(0x309, Shape.of("CLIENT_GONE", "client|generation", "code|")));

    private MessageText() {}

    private static Shape post(String name, String size) {
        return Shape.of(
                name,
                "call",
                "ref",
                "client|generation",
                "tag|expiryMs",
                size,
                "offset",
                "list",
                "entries");
    }

    /** Its name, or its number if it has none. */
    static String name(Message message) {
        Shape shape = SHAPES.get(message.kind());
        return shape == null ? "kind " + Integer.toHexString(message.kind()) : shape.name();
    }

    /** Each word by its name. */
    static void arguments(Message message, JournalTrace.Sink sink) {
        Shape shape = SHAPES.get(message.kind());
        for (int i = 0; i < message.wordCount(); i++) {
            String name =
                    shape != null && i < shape.words().size() ? shape.words().get(i) : "word" + i;
            int bar = name.indexOf('|');
            if (bar < 0) {
                sink.put(name, message.word(i));
            } else {
                sink.put(name.substring(0, bar), message.low(i));
                if (bar + 1 < name.length()) {
                    sink.put(name.substring(bar + 1), message.high(i));
                }
            }
        }
    }

    /** The call that it makes or answers; 0 for none. */
    static long call(Message message) {
        Shape shape = SHAPES.get(message.kind());
        boolean isCall =
                shape != null && message.wordCount() > 0 && shape.words().getFirst().equals("call");
        return isCall ? message.word(0) : 0;
    }
}
