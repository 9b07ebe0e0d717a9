package org.jbmi.zoid.processor.model;

/**
 * A broken rule for the hints of a parameter.
 *
 * @param parameter its index, from 0 on
 * @param sentence what is wrong, and what to do
 */
public record Finding(int parameter, String sentence) {}
