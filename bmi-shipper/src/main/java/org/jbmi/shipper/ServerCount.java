package org.jbmi.shipper;

import org.jbmi.shipper.codec.Shipped;

/**
 * A counter of a server.
 *
 * @param name for example {@code "shipper.server.calls"}
 * @param value the count so far, or the present value of a gauge
 * @param unit what is counted, in the plural
 */
@Shipped
public record ServerCount(String name, long value, String unit) {}
