package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.junit.jupiter.api.Test;

/** What parts of a program share on one instance. */
class SharedObjectsTest extends ScriptedTest {
    private static final class Tags {}

    private static final class Other {}

    @Test
    void anInstanceHasOneObjectOfAType() {
        Tags first = bmi.shared(Tags.class, Tags::new);
        assertThat(bmi.shared(Tags.class, Tags::new)).isSameAs(first);
        assertThat(bmi.shared(Other.class, Other::new)).isNotNull();
        try (Bmi another = Bmi.open()) {
            assertThat(another.shared(Tags.class, Tags::new)).isNotSameAs(first);
        }
    }
}
