package org.jbmi.shipper.client;

/**
 * Why a session ended or could not be opened.
 *
 * @param code negative
 * @param why a sentence
 */
public record SessionEnd(int code, String why) {}
