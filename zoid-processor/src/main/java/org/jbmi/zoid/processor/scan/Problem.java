package org.jbmi.zoid.processor.scan;

/**
 * Something in a header that the scanner cannot read, or that breaks a rule.
 *
 * @param line where it is, from 1 on
 * @param sentence what is wrong
 */
public record Problem(int line, String sentence) {}
