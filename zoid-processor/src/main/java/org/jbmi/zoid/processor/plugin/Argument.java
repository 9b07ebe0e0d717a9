package org.jbmi.zoid.processor.plugin;

import org.jbmi.zoid.processor.model.Hints;
import org.jbmi.zoid.processor.model.Shape;

import javax.lang.model.element.VariableElement;

/**
 * One parameter of a function.
 *
 * @param place its element in the source, for messages
 * @param hints its hints
 * @param value the values that it consists of
 * @param isCell whether it is a cell around its value
 * @param size the index of its size parameter, -1 if it has none
 */
record Argument(VariableElement place, Hints hints, Value value, boolean isCell, int size) {
    String name() {
        return place.getSimpleName().toString();
    }

    boolean goesIn() {
        return hints.direction().goesIn();
    }

    boolean comesOut() {
        return hints.direction().comesOut();
    }

    boolean nullOk() {
        return hints.nullOk();
    }

    boolean isArray() {
        return hints.shape().isArray();
    }

    boolean isTwoDimensional() {
        return hints.shape() == Shape.ARR2D;
    }

    boolean zeroCopy() {
        return hints.zeroCopy();
    }

    boolean userBuffer() {
        return hints.userBuffer();
    }

    /** The size of an element on the wire, at least. */
    int elementBytes() {
        return switch (value) {
            case Value.Primitive primitive -> primitive.bytes();
            case Value.Memory memory -> memory.elementBytes();
            case Value.Text _, Value.Struct _ -> 1;
        };
    }
}
