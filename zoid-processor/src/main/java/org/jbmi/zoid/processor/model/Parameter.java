package org.jbmi.zoid.processor.model;

/**
 * One parameter of a forwarded function.
 *
 * @param name its name
 * @param hints its hints
 * @param values the values that it consists of
 */
public record Parameter(String name, Hints hints, Values values) {}
