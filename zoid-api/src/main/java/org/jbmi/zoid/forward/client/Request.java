package org.jbmi.zoid.forward.client;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * For generated code: a call as it is sent.
 *
 * @param plugin the number of the plug-in
 * @param function the place of the function in its interface
 * @param signature the hash of its signature
 * @param words what is called
 * @param bytes how large the request is, with its header
 * @param body the arguments
 * @param in the input array with {@code @ZeroCopy}, in parts; empty if there is none
 * @param out the output array with {@code @ZeroCopy}, in parts; empty if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, and never compared
public record Request(
        int plugin,
        int function,
        long signature,
        String words,
        long bytes,
        byte[] body,
        List<MemorySegment> in,
        List<MemorySegment> out) {}
