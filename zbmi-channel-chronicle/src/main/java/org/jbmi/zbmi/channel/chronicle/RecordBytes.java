package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.bytes.Bytes;

import org.jbmi.zbmi.host.journal.JournalRecord;

/**
 * A record in a queue:
 *
 * <pre>
 *   0       16      24     32                        63
 *   +-------+-------+------+-------------------------+
 *   | kind  | words | 0    | session                 |
 *   +-------+-------+------+-------------------------+
 *   | time in ns                                     |
 *   +------------------------------------------------+
 *   | words ...                                      |
 *   +------------------------------------------------+
 *   | check: a mix of all words above                |
 *   +------------------------------------------------+
 * </pre>
 */
final class RecordBytes {
    private static final int FIXED_WORDS = 3;
    private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

    private RecordBytes() {}

    private static long mix(long check, long word) {
        return Long.rotateLeft((check ^ word) * MIX, 29);
    }

    static void write(JournalRecord record, Bytes<?> bytes) {
        int count = record.wordCount();
        long head =
                (record.kind() & 0xffffL)
                        | (long) count << 16
                        | (long) record.session() << Integer.SIZE;
        bytes.writeLong(head);
        bytes.writeLong(record.timeNs());
        long check = mix(mix(1, head), record.timeNs());
        for (int i = 0; i < count; i++) {
            long word = record.word(i);
            bytes.writeLong(word);
            check = mix(check, word);
        }
        bytes.writeLong(check);
    }

    /** Returns false if this is no whole record. */
    static boolean read(Bytes<?> bytes, JournalRecord into) {
        if (bytes.readRemaining() < FIXED_WORDS * Long.BYTES) {
            return false;
        }
        long head = bytes.readLong();
        int count = (int) (head >>> 16) & 0xff;
        long left = bytes.readRemaining();
        if (count > JournalRecord.MAX_WORDS || left < (FIXED_WORDS - 1L + count) * Long.BYTES) {
            return false;
        }
        long timeNs = bytes.readLong();
        into.start((int) (head & 0xffff), (int) (head >>> Integer.SIZE), timeNs);
        long check = mix(mix(1, head), timeNs);
        for (int i = 0; i < count; i++) {
            long word = bytes.readLong();
            into.put(word);
            check = mix(check, word);
        }
        return bytes.readLong() == check;
    }
}
