package org.jbmi.zbmi.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.ErrorsFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** The log of errors while there is no memory. */
@Timeout(60)
class ErrorsInFullHeapTest {
    private static final long PATIENCE_S = 30;

    @TempDir private Path folder;

    @Test
    void anErrorThatIsNotRecordedHidesNoOther() throws Exception {
        assertThat(FullHeap.outputOf(Records.class, "16m", PATIENCE_S, folder.toString()))
                .isEqualTo("failed, [first, later] as in the file");
    }

    /** Records an error without memory for its bytes in the file, and others. */
    static final class Records {
        /** Pieces of this many references are left: enough for an entry, not for the bytes. */
        private static final int PIECE = 24;

        private Records() {}

        public static void main(String[] arguments) {
            Path file = Path.of(arguments[0], "errors");
            ErrorLog log = new ErrorLog(text -> {});
            log.keepIn(ErrorsFile.create(file));
            log.record("first");
            String text = "long".repeat(100);
            Object[] filler = {FullHeap.fill(1 << 16, PIECE)};
            boolean hasFailed = false;
            try {
                log.record(text);
            } catch (OutOfMemoryError e) {
                hasFailed = true;
            }
            filler[0] = null;
            log.record("later");
            List<String> kept = beginnings(log.entries());
            boolean isInFile = kept.equals(beginnings(ErrorsFile.read(file)));
            System.out.print(hasFailed ? "failed, " : "recorded, ");
            System.out.print(kept + (isInFile ? " as in the file" : " unlike the file"));
        }

        private static List<String> beginnings(List<ErrorLog.Entry> entries) {
            return entries.stream().map(entry -> entry.text().substring(0, 5)).toList();
        }
    }
}
