package org.jbmi.shipper.client;

import org.jbmi.shipper.codec.Codec;

/**
 * The common part of a client's calls of a function.
 *
 * @param core the client
 * @param name of the function
 * @param function the number of its name
 * @param fingerprint the number of its signature
 * @param index its index, 0 for none
 * @param input the codec of its input
 * @param output the codec of its output
 * @param outputType what its output is
 * @param <I> the type of the input
 * @param <O> the type of the output
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
