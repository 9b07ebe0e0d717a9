package org.jbmi.testsuite.example;

import org.jbmi.spi.MethodAddress;
import org.jspecify.annotations.Nullable;

/** One member's record of another. */
final class NoteAddress extends MethodAddress {
    private final String name;
    @Nullable NoteMethod member;

    NoteAddress(String name, @Nullable NoteMethod member) {
        this.name = name;
        this.member = member;
    }

    @Override
    public String displayName() {
        return name;
    }
}
