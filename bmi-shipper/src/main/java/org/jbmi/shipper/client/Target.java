package org.jbmi.shipper.client;

import org.jbmi.shipper.codec.Codec;

/**
 * What a call names.
 *
 * @param function the number of the function's name
 * @param fingerprint the number of its signature
 * @param codec of its input
 * @param <I> the type of the input
 */
public record Target<I>(long function, long fingerprint, Codec<I> codec) {}
