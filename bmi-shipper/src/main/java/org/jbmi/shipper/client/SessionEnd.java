package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;

/**
 * Why a session ended or could not be opened.
 *
 * @param code negative
 */
public record SessionEnd(int code, String why) {
    /** For a session that ends when there is no memory to say why. */
    static final SessionEnd FULL_HEAP =
            new SessionEnd(ErrorCode.ENOMEM.negativeValue(), "There is no memory.");
}
