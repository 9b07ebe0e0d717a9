package org.jbmi.shipper.client;

/**
 * Why a session ended or could not be opened.
 *
 * @param code negative
 */
public record SessionEnd(int code, String why) {}
