package org.jbmi.shipper.client;

/**
 * Why there is no session any more, or why there never was one.
 *
 * @param code negative
 * @param why a sentence
 */
public record SessionEnd(int code, String why) {}
