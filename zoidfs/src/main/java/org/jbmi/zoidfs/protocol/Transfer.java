package org.jbmi.zoidfs.protocol;

/**
 * What a read or write moves: regions of the client's memory, regions of the file, and the length
 * of the messages between them. Client and server compute the number and the lengths of the
 * messages from these fields. All sizes and offsets are in bytes.
 *
 * @param memorySizes lengths of the client's regions
 * @param fileStarts offsets in the file; one entry for an append
 * @param fileSizes lengths of the file's regions
 * @param chunkBytes 0 for one message, else the length of each but the last, an unsigned number
 */
public record Transfer(
        LongList memorySizes, LongList fileStarts, LongList fileSizes, long chunkBytes) {

    /** One region of memory and of the file. */
    public static Transfer of(long offset, long sizeBytes, long chunkBytes) {
        LongList size = LongList.of(sizeBytes);
        return new Transfer(size, LongList.of(offset), size, chunkBytes);
    }

    /** How many bytes there are, or -1 if the sum is beyond 2^63 - 1. */
    public long totalBytes() {
        return memorySizes.sum();
    }

    /** The number of messages. */
    public long messages() {
        long total = totalBytes();
        if (chunkBytes == 0) {
            return 1;
        }
        long whole = Long.divideUnsigned(total, chunkBytes);
        return Long.remainderUnsigned(total, chunkBytes) == 0 ? whole : whole + 1;
    }

    /** The length in bytes of the message with an index, from 0. */
    public long messageBytes(long index) {
        long total = totalBytes();
        return chunkBytes == 0 || Long.compareUnsigned(chunkBytes, total) >= 0
                ? total
                : Math.min(chunkBytes, total - index * chunkBytes);
    }

    static Transfer read(XdrReader reader) throws XdrException {
        long memoryCount = reader.readLong("memory count");
        LongList memorySizes = reader.readLongs("memory sizes");
        long fileCount = reader.readLong("file count");
        LongList fileStarts = reader.readLongs("file starts");
        LongList fileSizes = reader.readLongs("file sizes");
        long chunkBytes = reader.readLong("chunk size");
        // An append has one start, whatever the number of its sizes.
        if (memoryCount != memorySizes.size()
                || fileCount != fileSizes.size()
                || (fileStarts.size() != fileSizes.size() && fileStarts.size() != 1)) {
            throw new XdrException("The counts of regions contradict each other");
        }
        return new Transfer(memorySizes, fileStarts, fileSizes, chunkBytes);
    }

    void write(XdrWriter writer) {
        writer.writeLong(memorySizes.size()).writeLongs(memorySizes);
        writer.writeLong(fileSizes.size()).writeLongs(fileStarts).writeLongs(fileSizes);
        writer.writeLong(chunkBytes);
    }
}
