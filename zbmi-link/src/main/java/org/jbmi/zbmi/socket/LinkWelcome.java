package org.jbmi.zbmi.socket;

import org.jbmi.zbmi.protocol.handshake.SessionLimits;

/**
 * The gateway's acceptance.
 *
 * @param generation the generation of the client's session
 * @param eagerSlots how many eager messages may be under way
 * @param limits sizes that the engine accepts
 */
public record LinkWelcome(int generation, int eagerSlots, SessionLimits limits) {}
