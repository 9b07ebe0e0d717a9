package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.os.Errno;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the machine allows in message queues.
 *
 * @param messages most messages in a queue
 * @param messageBytes size of the largest message
 * @param queues most queues of all users
 * @param userBytes memory of one user's queues
 */
record MqLimits(long messages, long messageBytes, long queues, long userBytes) {
    private static final String SYSTEM = "/proc/sys/fs/mqueue/";

    /** What the kernel charges for each place in a queue beside the message itself. */
    private static final int PLACE_BYTES = 96;

    private static final long DEFAULT_USER_BYTES = 819_200;
    private static final Pattern USER_BYTES = Pattern.compile("Max msgqueue size\\s+(\\w+)");
    private static final int MIN_DEPTH = 2;
    private static final int MAX_DEPTH = 64;

    /** Reads them; a limit that cannot be read counts as the kernel's own default. */
    static MqLimits read() {
        return new MqLimits(
                number(SYSTEM + "msg_max", 10),
                number(SYSTEM + "msgsize_max", 8192),
                number(SYSTEM + "queues_max", 256),
                userBytes(lines("/proc/self/limits")));
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException e) {
            return List.of();
        }
    }

    private static long number(String file, long otherwise) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? otherwise : parse(lines.getFirst().strip(), otherwise);
    }

    private static long parse(String text, long otherwise) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    /** The soft limit, which is the one in force, from the table of a process's limits. */
    static long userBytes(List<String> table) {
        for (String line : table) {
            Matcher matcher = USER_BYTES.matcher(line);
            if (matcher.lookingAt()) {
                String soft = matcher.group(1);
                return soft.equals("unlimited") ? Long.MAX_VALUE : parse(soft, DEFAULT_USER_BYTES);
            }
        }
        return DEFAULT_USER_BYTES;
    }

    /** What is too small for one server, as a text; null if nothing is. */
    @Nullable String tooSmall() {
        if (messageBytes < Message.MAX_BYTES) {
            return "the kernel allows messages of %d bytes and %d are needed: raise %smsgsize_max"
                    .formatted(messageBytes, Message.MAX_BYTES, SYSTEM);
        }
        if (messages < MIN_DEPTH) {
            return "the kernel allows %d messages in a queue and %d are needed: raise %smsg_max"
                    .formatted(messages, MIN_DEPTH, SYSTEM);
        }
        long needBytes = 2 * queueBytes(MIN_DEPTH) + queueBytes(1);
        if (userBytes < needBytes) {
            return "this user's queues may take %d bytes and %d are needed: raise 'ulimit -q'"
                    .formatted(userBytes, needBytes);
        }
        return null;
    }

    /** How deep the command queue and the event queue can be, leaving half to reply queues. */
    int depth() {
        long affordable = userBytes / 4 / queueBytes(1);
        return (int) Math.max(MIN_DEPTH, Math.min(Math.min(messages, MAX_DEPTH), affordable));
    }

    /** How many reply queues of one message fit beside them; the kernel decides in the end. */
    int replyQueues() {
        long leftBytes = userBytes - 2 * queueBytes(depth());
        long affordable = Math.min(leftBytes / queueBytes(1), queues - 2);
        return (int) Math.max(0, Math.min(MqNames.MAX_REPLY_QUEUES, affordable));
    }

    static long queueBytes(int depth) {
        return (long) depth * (PLACE_BYTES + Message.MAX_BYTES);
    }

    /** Why a queue could not be made. */
    String explain(int errno) {
        String what =
                switch (errno) {
                    case Errno.EMFILE ->
                            "this user's queues together may take %d bytes ('ulimit -q'), or its files are used up"
                                    .formatted(userBytes);
                    case Errno.ENOSPC ->
                            "there are %d queues already (%squeues_max)".formatted(queues, SYSTEM);
                    case Errno.EINVAL ->
                            "the kernel allows %d messages of %d bytes (%smsg_max, msgsize_max)"
                                    .formatted(messages, messageBytes, SYSTEM);
                    case Errno.ENOSYS -> "this kernel has no message queues";
                    default -> "the kernel refused";
                };
        return what + " (" + Errno.describe(errno) + ")";
    }
}
