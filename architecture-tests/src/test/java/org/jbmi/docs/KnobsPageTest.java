package org.jbmi.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;

/** The page of knobs is what the declarations say. */
class KnobsPageTest {
    @Test
    void isUpToDate() throws IOException {
        StringWriter out = new StringWriter();
        int status =
                Program.of(new BmiMain())
                        .setOut(new PrintWriter(out))
                        .execute("info", "--reference");
        assertThat(status).isZero();
        assertThat(Documents.read("docs/knobs.md"))
                .as("make it anew with bin/bmi info --reference > docs/knobs.md")
                .isEqualTo(out.toString());
    }
}
