package org.jbmi.shipper.client;

import org.jbmi.shipper.codec.Codec;

/**
 * The common part of a client's calls of a function.
 *
 * @param function the number of its name
 * @param fingerprint the number of its signature
 * @param index its index, 0 for none
 */
public record Target<I, O>(
        ClientCore core,
        String name,
        long function,
        long fingerprint,
        int index,
        Codec<I> input,
        Codec<O> output,
        Class<O> outputType) {}
