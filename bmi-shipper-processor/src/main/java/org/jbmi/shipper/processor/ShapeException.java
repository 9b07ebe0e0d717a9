package org.jbmi.shipper.processor;

import java.io.Serial;

import javax.lang.model.element.Element;

/** Reports a type that cannot travel, and its place in the source. */
final class ShapeException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    private final transient Element place;
    private final String reason;

    ShapeException(Element place, String message) {
        super(message);
        this.place = place;
        this.reason = message;
    }

    String reason() {
        return reason;
    }

    Element place() {
        return place;
    }
}
