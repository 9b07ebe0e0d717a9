package org.jbmi.zbmi.host.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.jbmi.observe.Counters;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

@Timeout(60)
class LentHostTotalsTest {
    @TempDir Path folder;

    /** It is called in the engine's thread, which an error would end. */
    @Test
    void withoutMemoryTheTotalsAreLostAndNothingIsThrown() throws IOException {
        RuntimeDirectory directory = new RuntimeDirectory(folder);
        Files.writeString(directory.serverCounters(), "damaged");
        List<String> errors = new ArrayList<>();
        ErrorLog log =
                new ErrorLog(
                        text -> {
                            errors.add(text);
                            throw new OutOfMemoryError("played");
                        });
        LentHostTotals totals = new LentHostTotals(Counters.inMemory(), log);
        assertThatCode(() -> totals.takeOver(directory)).doesNotThrowAnyException();
        assertThat(errors).hasSize(1);
    }
}
