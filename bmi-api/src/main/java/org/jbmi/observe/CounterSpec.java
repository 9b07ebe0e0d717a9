package org.jbmi.observe;

/**
 * What a counter counts.
 *
 * @param id fixed number of this kind of counter, never given to another meaning
 * @param label dotted name, for example {@code "zoid.server.copies"}
 * @param unit what one of it is, for example {@code "messages"} or {@code "bytes"}
 */
public record CounterSpec(int id, String label, String unit) {}
