package org.jbmi.zoid.processor.scan;

/**
 * A member of a C structure.
 *
 * @param name its name
 * @param type its type
 * @param elements how many there are, or 0 if it is no array
 * @param line where it stands
 */
record CField(String name, CType type, int elements, int line) {}
