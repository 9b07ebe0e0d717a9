package org.jbmi.zbmi.host.journal;

import org.jbmi.zbmi.protocol.Message;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Messages as people read them. */
final class MessageText {
    /**
     * One kind of message in a line: its number, its name, and a name for each word; "a|b" for two
     * halves.
     */
    private static final String KINDS =
            """
            001 SEND call ref tag|slot bytes timeoutMs| sequence
            002 RECEIVE call ref tag| room timeoutMs|
            003 SEND_UNEXPECTED call ref tag|slot bytes timeoutMs|class sequence
            004 TEST call timeoutMs
            005 DISARM call
            006 DONE grant bytes status
            007 WITHDRAW operation ref
            008 EXPIRES operation ref ms
            009 CANCELLED number ref
            00a SEND_SHORT bytes ref tag|class
            00b SEND_LENT bytes|slot tag|class
            101 PENDING call ref operation
            102 GRANT call ref operation grant bytes offset list entries window|partner claim
            107 ACCEPTED call ref
            103 COMPLETED call ref bytes
            104 FAILED call ref code|
            105 TEST_REPLY call pushed
            106 DATA call ref bytes
            108 DATA_SLOT call ref bytes slot
            201 POST_SEND call ref client|generation tag|expiryMs bytes offset list entries
            202 POST_RECEIVE call ref client|generation tag|expiryMs room offset list entries
            203 CANCEL call ref zoid
            204 UNEXPECTED_FREE offset
            205 FINISH call
            301 REGISTERED call ref zoid
            302 POST_COMPLETED call ref bytes
            303 POST_REFUSED call ref code|
            304 CANCEL_REPLY call ref outcome|
            305 FINISH_REPLY call movers|
            306 COMPLETION ref code| bytes client|generation
            307 UNEXPECTED client|generation tag|class offset bytes message
            308 CLIENT_ATTACHED client|generation
            309 CLIENT_GONE client|generation code|
            """;

    private static final Map<Integer, Shape> SHAPES =
            KINDS.lines()
                    .map(Shape::of)
                    .collect(Collectors.toUnmodifiableMap(Shape::kind, Function.identity()));

    private record Shape(int kind, String name, List<String> words) {
        static Shape of(String line) {
            List<String> all = List.of(line.split(" ", -1));
            int kind = Integer.parseInt(all.getFirst(), 16);
            return new Shape(kind, all.get(1), all.subList(2, all.size()));
        }
    }

    private MessageText() {}

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
