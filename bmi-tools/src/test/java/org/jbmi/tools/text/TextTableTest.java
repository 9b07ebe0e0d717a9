package org.jbmi.tools.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void alignsColumns() {
        TextTable table = new TextTable("rl", "n", "name");
        table.row("1", "a");
        table.row("100", "long name");
        assertThat(table.lines()).containsExactly("  n  name", "  1  a", "100  long name");
    }

    @Test
    void refusesARowOfAnotherWidth() {
        TextTable table = new TextTable("rl", "n", "name");
        assertThatThrownBy(() -> table.row("1")).isInstanceOf(IllegalArgumentException.class);
    }
}
