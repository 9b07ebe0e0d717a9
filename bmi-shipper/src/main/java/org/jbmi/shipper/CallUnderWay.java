package org.jbmi.shipper;

import org.jbmi.shipper.codec.Shipped;

/**
 * A call that a server has not answered yet, or whose handler still runs.
 *
 * @param function its name
 * @param client the client, as a text
 * @param reason its stage and what it waits for, as a text
 * @param ageMs its age in milliseconds
 * @param leftMs the time until its deadline in milliseconds; negative if it has none
 */
@Shipped
public record CallUnderWay(
        String function, String client, String reason, long ageMs, long leftMs) {}
