package org.jbmi.zoid.processor.model;

/**
 * One parameter of a forwarded function.
 *
 * @param name its name
 * @param hints what was said of it
 * @param values what it consists of
 */
public record Parameter(String name, Hints hints, Values values) {}
