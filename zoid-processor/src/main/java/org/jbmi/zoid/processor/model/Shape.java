package org.jbmi.zoid.processor.model;

/** What a parameter is made of. */
public enum Shape {
    /** A value that is passed as it is. */
    OBJ,
    /** A string that ends with a zero byte. */
    STR,
    /** The address of one value. */
    PTR,
    /** An array of values. */
    ARR,
    /** An array of arrays. */
    ARR2D;

    /**
     * Whether it has a size parameter.
     *
     * @return true for the two kinds of arrays
     */
    public boolean isArray() {
        return this == ARR || this == ARR2D;
    }
}
