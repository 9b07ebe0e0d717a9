package org.jbmi.observe;

/**
 * What a counter counts.
 *
 * @param id a fixed number for this kind of counter. Numbers below 1 000 000 belong to this
 *     project; a method of another project takes larger ones. Only the label is unique in a set
 * @param label dotted name, for example {@code "zoid.server.copies"}
 * @param unit what one of it is, for example {@code "messages"} or {@code "bytes"}
 */
public record CounterSpec(int id, String label, String unit) {}
