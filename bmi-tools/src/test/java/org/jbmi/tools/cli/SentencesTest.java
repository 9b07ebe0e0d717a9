package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.tools.ZbmiMain;
import org.jbmi.zoid.daemon.ZoidAdmin;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;

class SentencesTest {
    @Test
    void namesTheFile() {
        assertThat(Sentences.of(new NoSuchFileException("/a"))).isEqualTo("There is no file /a.");
        assertThat(Sentences.of(new NoSuchFileException("/no/such/a")))
                .isEqualTo("There is no folder /no/such.");
        assertThat(Sentences.of(new NoSuchFileException(null))).isEqualTo("There is no file null.");
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

    /** A user knows of a server, and not of the functions that a command calls. */
    @Test
    void namesNoFunctionOfAServer() {
        String none = "loopback://none";
        try (Bmi bmi = Bmi.builder().attach(LoopbackHub.class, new LoopbackHub()).open();
                ZoidAdmin admin = ZoidAdmin.of(bmi, none)) {
            assertThatThrownBy(admin::statistics)
                    .satisfies(
                            e ->
                                    assertThat(Sentences.of(e))
                                            .isEqualTo("The server cannot be reached."));
        }
    }

    /** An answer that came, or a call that was not sent, is no silence of the server. */
    @Test
    void saysThatAServerDoesNotAnswerOnlyIfItDoesNot() {
        assertThat(Sentences.of(failed(ErrorCode.ETIMEDOUT, false)))
                .isEqualTo("The server does not answer: It is so.");
        assertThat(Sentences.of(failed(ErrorCode.EMSGSIZE, false))).isEqualTo("It is so.");
        assertThat(Sentences.of(failed(ErrorCode.EBUSY, false))).isEqualTo("It is so.");
        assertThat(Sentences.of(failed(ErrorCode.ETIMEDOUT, true)))
                .isEqualTo("The server answers: It is so.");
    }

    private static CallFailedException failed(ErrorCode code, boolean isRemote) {
        return new CallFailedException(code, "It is so.", isRemote);
    }

    @Test
    void saysWhatAClientOfZoidSays() {
        assertThat(Sentences.of(new ZoidException(ZoidError.ECONNRESET, 0, "It is so")))
                .endsWith("It is so.")
                .doesNotContain("unexpected");
    }

    /** As {@code zoid run --receive} and {@code zoid tun} connect. */
    @Test
    void saysWhyAndWhereAClientOfZoidFindsNobody() {
        String nobody = "tcp://127.0.0.1:1";
        try (Bmi bmi = Bmi.open()) {
            assertThatThrownBy(() -> Zoid.connect(bmi, nobody))
                    .satisfies(
                            e ->
                                    assertThat(Sentences.of(e, nobody))
                                            .isEqualTo(
                                                    "The server cannot be reached (ECONNREFUSED,"
                                                            + " tcp://127.0.0.1:1)."));
        }
    }

    @Test
    void saysWhatIsUnexpected() {
        assertThat(Sentences.of(new IllegalStateException("odd")))
                .isEqualTo("Something unexpected happened: java.lang.IllegalStateException: odd.");
    }

    @Test
    void aNameThatCannotBeAPathIsToldInASentence() {
        assertThat(Sentences.of(new InvalidPathException("a\0b", "Nul character not allowed")))
                .isEqualTo("\"a\0b\" cannot be a path: Nul character not allowed.");
        assertThat(Sentences.of(new InvalidPathException("\ufffd", "Malformed input")))
                .endsWith("Malformed input; set LC_ALL to a language with UTF-8, such as C.UTF-8.");
    }

    @Test
    void soIsAWordOfTheCommandLine() {
        CommandRun run = CommandRun.of(new ZbmiMain(), "replay", "a\0b");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("cannot be a path").doesNotContain("Exception");
    }
}
