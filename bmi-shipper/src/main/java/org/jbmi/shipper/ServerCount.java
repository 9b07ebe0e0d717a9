package org.jbmi.shipper;

import org.jbmi.shipper.codec.Shipped;

/**
 * What a server has counted.
 *
 * @param name for example {@code "shipper.server.calls"}
 * @param value so far, or now for what comes and goes
 * @param unit what is counted, in the plural
 */
@Shipped
public record ServerCount(String name, long value, String unit) {}
