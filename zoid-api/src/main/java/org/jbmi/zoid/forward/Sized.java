package org.jbmi.zoid.forward;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The parameter with the number of elements of this array. For an array of bytes that is its size
 * in bytes. For an array of arrays it is an array of counts, one for each inner array.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface Sized {
    /**
     * The size parameter: its name ({@code "count"}), its position from 1 on ({@code "3"}), or its
     * distance from the array ({@code "+1"}, {@code "-2"}).
     *
     * @return name, position or distance
     */
    String value();

    /**
     * For a {@code MemorySegment}: the size of one element in bytes. The size parameter counts
     * elements.
     *
     * @return 1, 2, 4 or 8
     */
    int elementBytes() default 1;
}
