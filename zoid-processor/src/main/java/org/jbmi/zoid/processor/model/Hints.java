package org.jbmi.zoid.processor.model;

import org.jspecify.annotations.Nullable;

/**
 * The hints of one parameter.
 *
 * @param direction which way it travels
 * @param shape what it is made of
 * @param size where its size is, as it was written: {@code 3}, {@code +1}, {@code -2} or a name;
 *     null if nothing was said
 * @param nullOk whether a caller may leave it out
 * @param zeroCopy whether it travels without a copy on the client
 * @param userBuffer whether the plug-in brings its memory
 */
public record Hints(
        Direction direction,
        Shape shape,
        @Nullable String size,
        boolean nullOk,
        boolean zeroCopy,
        boolean userBuffer) {}
