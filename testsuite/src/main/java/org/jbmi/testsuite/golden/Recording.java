package org.jbmi.testsuite.golden;

import org.jbmi.testsuite.json.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * One recording: who did what, and the messages that passed.
 *
 * @param name of the scenario
 * @param standalone whether it is in the standalone dialect, else in that of OrangeFS
 * @param sides the two sides; the first one opened connection 0
 * @param openers for each connection the name of the side that opened it
 * @param chunks the messages in their order
 */
public record Recording(
        String name,
        boolean standalone,
        List<Side> sides,
        List<String> openers,
        List<Chunk> chunks) {
    private static final int CLASS_OFFSET = 24;
    private static final int UNEXPECTED = 2;

    /** The first byte of a header of the standalone dialect. */
    private static final byte STANDALONE_MAGIC = (byte) 0xc8;

    /**
     * One side.
     *
     * @param name {@code "client"}, {@code "server"}, {@code "A"} or {@code "B"}
     * @param listen what it listens on, or null for a client
     * @param lookup what it looks up before its script begins, or null
     * @param script what it does
     * @param log what it saw
     */
    public record Side(
            String name,
            @Nullable String listen,
            @Nullable String lookup,
            List<String> script,
            List<String> log) {}

    /**
     * One message.
     *
     * @param connection its number
     * @param from the name of the side that sent it
     * @param bytes header and payload
     * @param isUnexpected whether it is an unexpected message
     * @param tag its tag
     * @param payloadBytes length of its payload
     * @param messageClass its class
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by isSame, and not to be changed
    public record Chunk(
            int connection,
            String from,
            byte[] bytes,
            boolean isUnexpected,
            int tag,
            int payloadBytes,
            int messageClass) {
        /**
         * Whether bytes that came are this message; one byte of the header means nothing in
         * expected messages.
         *
         * @param came as many bytes as this message has
         * @return true if they are
         */
        boolean isSame(byte[] came) {
            if (came.length != bytes.length) {
                return false;
            }
            for (int i = 0; i < bytes.length; i++) {
                boolean ignored = i == CLASS_OFFSET && isPlainHeaderEnd();
                if (bytes[i] != came[i] && !ignored) {
                    return false;
                }
            }
            return true;
        }

        private boolean isPlainHeaderEnd() {
            return !isUnexpected && bytes.length - payloadBytes > CLASS_OFFSET;
        }
    }

    /**
     * Reads a recording.
     *
     * @param json the text of its file
     * @return the recording
     * @throws IllegalArgumentException if it is none
     */
    public static Recording parse(String json) {
        try {
            Map<String, @Nullable Object> file = map(Json.parse(json));
            boolean symmetric = file.containsKey("A_script");
            List<Side> sides =
                    symmetric
                            ? List.of(peer(file, "A"), peer(file, "B"))
                            : List.of(client(file), server(file));
            List<String> openers = new ArrayList<>();
            if (symmetric) {
                for (Object connection : list(file.get("connections"))) {
                    openers.add(text(map(connection).get("opened_by")));
                }
            } else {
                openers.add("client");
            }
            List<Chunk> chunks = new ArrayList<>();
            for (Object chunk : list(file.get("chunks"))) {
                chunks.add(chunk(map(chunk), sides, openers));
            }
            boolean standalone =
                    chunks.isEmpty()
                            ? text(file.get("variant")).contains("25-byte")
                            : chunks.getFirst().bytes()[0] == STANDALONE_MAGIC;
            return new Recording(text(file.get("scenario")), standalone, sides, openers, chunks);
        } catch (ClassCastException | NullPointerException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("The file is no recording: " + e.getMessage(), e);
        }
    }

    /** {@return the recordings that are carried along} */
    public static List<Recording> builtIn() {
        List<Recording> all = new ArrayList<>();
        for (String name : text("index").lines().toList()) {
            all.add(parse(text(name)));
        }
        return all;
    }

    /**
     * The text of a recording that is carried along.
     *
     * @param name of its file
     * @return what {@link #parse} takes
     */
    public static String text(String name) {
        try (InputStream in = Recording.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("There is no recording " + name + ".");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The byte at a place of a recorded payload.
     *
     * @param tag of the message
     * @param i the place
     * @return the byte
     */
    static byte pattern(int tag, long i) {
        return (byte) (i * 31 + tag * 17L + 7);
    }

    private static Side client(Map<String, @Nullable Object> file) {
        return new Side(
                "client",
                null,
                text(file.get("client_lookup_string")),
                texts(file.get("client_script")),
                texts(file.get("client_log")));
    }

    private static Side server(Map<String, @Nullable Object> file) {
        return new Side(
                "server",
                text(file.get("server_listen_string")),
                null,
                texts(file.get("server_script")),
                texts(file.get("server_log")));
    }

    private static Side peer(Map<String, @Nullable Object> file, String name) {
        return new Side(
                name,
                text(file.get(name + "_listen_string")),
                null,
                texts(file.get(name + "_script")),
                texts(file.get(name + "_log")));
    }

    private static Chunk chunk(
            Map<String, @Nullable Object> chunk, List<Side> sides, List<String> openers) {
        int connection = (int) number(chunk.getOrDefault("conn", 0L));
        boolean byOpener = text(chunk.get("dir")).equals("c2s");
        String opener = openers.get(connection);
        String first = sides.getFirst().name();
        String second = sides.getLast().name();
        String from = byOpener == opener.equals(first) ? first : second;
        Map<String, @Nullable Object> decoded = map(chunk.get("decoded"));
        int tag = (int) number(decoded.get("tag"));
        int size = (int) number(decoded.get("size"));
        byte[] bytes;
        Object hex = chunk.get("hex");
        if (hex != null) {
            bytes = HexFormat.of().parseHex(text(hex));
        } else {
            byte[] header = HexFormat.of().parseHex(text(chunk.get("header_hex")));
            bytes = Arrays.copyOf(header, header.length + size);
            for (int i = 0; i < size; i++) {
                bytes[header.length + i] = pattern(tag, i);
            }
            String digest = sha256(bytes, header.length);
            if (!digest.equals(text(chunk.get("payload_sha256")))) {
                throw new IllegalArgumentException(
                        "The payload of tag " + tag + " is another one.");
            }
        }
        boolean isUnexpected = number(decoded.get("mode")) == UNEXPECTED;
        Object messageClass = decoded.get("class");
        return new Chunk(
                connection,
                from,
                bytes,
                isUnexpected,
                tag,
                size,
                isUnexpected && messageClass != null ? (int) number(messageClass) : 0);
    }

    private static String sha256(byte[] bytes, int from) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes, from, bytes.length - from);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, @Nullable Object> map(@Nullable Object value) {
        return (Map<String, @Nullable Object>) require(value);
    }

    @SuppressWarnings("unchecked")
    private static List<@Nullable Object> list(@Nullable Object value) {
        return (List<@Nullable Object>) require(value);
    }

    private static List<String> texts(@Nullable Object value) {
        List<String> texts = new ArrayList<>();
        for (Object each : list(value)) {
            texts.add(text(each));
        }
        return texts;
    }

    private static String text(@Nullable Object value) {
        return (String) require(value);
    }

    private static long number(@Nullable Object value) {
        return (Long) require(value);
    }

    private static Object require(@Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException("The file is no recording: a field is missing.");
        }
        return value;
    }
}
