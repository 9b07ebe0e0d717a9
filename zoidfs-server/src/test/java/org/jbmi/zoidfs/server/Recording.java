package org.jbmi.zoidfs.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Calls of a C client as they were recorded. */
record Recording(List<Call> calls) {
    /** One message. */
    record Message(boolean fromClient, boolean unexpected, int tag, byte[] bytes) {}

    /** One call with its messages, in the order in which they were seen. */
    record Call(String label, List<Message> messages) {
        byte[] request() {
            return messages.get(0).bytes();
        }

        /** The last message of the server. */
        byte[] reply() {
            return messages.stream().filter(m -> !m.fromClient()).toList().getLast().bytes();
        }
    }

    static Recording read(String name) throws IOException {
        List<Call> calls = new ArrayList<>();
        try (InputStream in = Recording.class.getResourceAsStream(name)) {
            String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
            for (String line : text.lines().toList()) {
                if (line.startsWith("#")) {
                    continue;
                }
                if (line.startsWith("call ")) {
                    calls.add(new Call(line.substring(5), new ArrayList<>()));
                    continue;
                }
                String[] words = line.split(" ");
                byte[] bytes =
                        words[3].equals("-") ? new byte[0] : HexFormat.of().parseHex(words[3]);
                calls.getLast()
                        .messages()
                        .add(
                                new Message(
                                        words[0].equals("c"),
                                        words[1].equals("u"),
                                        Integer.parseInt(words[2]),
                                        bytes));
            }
        }
        return new Recording(calls);
    }
}
