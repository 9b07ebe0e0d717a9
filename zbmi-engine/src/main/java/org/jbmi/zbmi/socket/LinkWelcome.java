package org.jbmi.zbmi.socket;

import org.jbmi.zbmi.protocol.SessionLimits;

/**
 * The gateway's consent.
 *
 * @param generation the life of the session that the client has got
 * @param eagerSlots how many eager messages may be under way
 * @param limits sizes that the engine accepts
 */
public record LinkWelcome(int generation, int eagerSlots, SessionLimits limits) {}
