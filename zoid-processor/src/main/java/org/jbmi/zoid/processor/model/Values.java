package org.jbmi.zoid.processor.model;

/**
 * The properties of a parameter's values that the rules use.
 *
 * @param countable whether they are whole numbers, so that they can say a size
 * @param bytes the size of one in bytes, or 0 if it is not known
 * @param holdsAddresses whether they are structures with addresses in them
 */
public record Values(boolean countable, int bytes, boolean holdsAddresses) {}
