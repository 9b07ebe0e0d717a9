package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

class SentencesTest {
    @Test
    void namesTheFile() {
        assertThat(Sentences.of(new NoSuchFileException("/a"))).isEqualTo("There is no file /a.");
        assertThat(Sentences.of(new AccessDeniedException("/a")))
                .isEqualTo("Access to /a is denied.");
        assertThat(Sentences.of(new FileSystemException("/a", null, "No space left on device")))
                .isEqualTo("/a: No space left on device.");
    }

    @Test
    void keepsTheMessageToOneLine() {
        assertThat(Sentences.of(new ToolException("One\n  two."))).isEqualTo("One two.");
        assertThat(Sentences.of(new BmiException(ErrorCode.EBUSY, "It is in use.")))
                .isEqualTo("It is in use.");
        assertThat(Sentences.of(new IOException())).isEqualTo("java.io.IOException.");
    }

    @Test
    void saysWhatIsUnexpected() {
        assertThat(Sentences.of(new IllegalStateException("odd")))
                .isEqualTo("Something unexpected happened: java.lang.IllegalStateException: odd.");
    }
}
