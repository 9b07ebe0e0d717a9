package org.jbmi.shipper;

import org.jbmi.shipper.codec.Shipped;

/**
 * A call that a server has not answered yet, or whose handler still runs.
 *
 * @param function its name
 * @param client who called, in words
 * @param reason where it is, and what for: in words
 * @param ageMs how long ago it came, in milliseconds
 * @param leftMs how long until its deadline, in milliseconds; negative if it has none
 */
@Shipped
public record CallUnderWay(
        String function, String client, String reason, long ageMs, long leftMs) {}
