package org.jbmi.shipper.client;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jbmi.shipper.wire.Tags;

/**
 * What a server asks for: the body of a pull and of a push.
 *
 * @param push whether bytes go to the client
 * @param number of the exposure
 * @param length in bytes, 1 or more
 * @param chunkBytes of each message but the last
 */
record TransferRequest(
        boolean push,
        long id,
        long number,
        BulkHandle.Token key,
        long offset,
        long length,
        int chunkBytes,
        int channel) {

    static TransferRequest read(boolean push, long id, Decoder in) {
        TransferRequest request =
                new TransferRequest(
                        push,
                        id,
                        in.getLong(),
                        in.getToken(),
                        in.getLong(),
                        in.getLong(),
                        in.getInt(),
                        in.getInt());
        in.end();
        boolean sound =
                request.length > 0
                        && request.chunkBytes > 0
                        && request.length / request.chunkBytes < Integer.MAX_VALUE
                        && request.channel >= 1
                        && request.channel <= Tags.MAX_TRANSFER_CHANNEL;
        if (!sound) {
            throw new MalformedException("A transfer of impossible sizes was asked for.");
        }
        return request;
    }

    int chunks() {
        return (int) ((length + chunkBytes - 1) / chunkBytes);
    }

    int sizeOf(int index) {
        return (int) Math.min(chunkBytes, length - (long) index * chunkBytes);
    }
}
