package org.jbmi.demo.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

class WorkerMessagesTest {
    @ParameterizedTest
    @EnumSource(value = WorkerEvent.Kind.class, names = "ENDED", mode = EnumSource.Mode.EXCLUDE)
    void eventsComeBackAsTheyWere(WorkerEvent.Kind kind) {
        WorkerEvent event = new WorkerEvent(kind, 17, Long.MAX_VALUE, "some text, with blanks ");
        assertThat(WorkerEvent.parse(event.line())).isEqualTo(event);
        assertThat(WorkerEvent.parse(WorkerEvent.of(kind, "").line()))
                .isEqualTo(WorkerEvent.of(kind, ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hello",
                "ready",
                "ready 1 2",
                "ready x 2 ",
                "ended 0 0 x",
                "read 1.5 2 x"
            })
    void aLineThatIsNoEventIsAFailureThatQuotesIt(String line) {
        WorkerEvent event = WorkerEvent.parse(line);
        assertThat(event.kind()).isEqualTo(WorkerEvent.Kind.FAILED);
        assertThat(event.text()).contains("\"" + line + "\"");
    }

    @Test
    void anEventIsOneLine() {
        assertThat(WorkerEvent.of(WorkerEvent.Kind.SAID, "a\nb\r\nc").line()).hasLineCount(1);
    }

    @ParameterizedTest
    @EnumSource(WorkerCommand.class)
    void commandsComeBackAsTheyWere(WorkerCommand command) {
        assertThat(WorkerCommand.parse(command.line())).isEqualTo(command);
    }

    @Test
    void anUnknownCommandMeansTheEnd() {
        assertThat(WorkerCommand.parse("fly")).isEqualTo(WorkerCommand.QUIT);
    }

    @Test
    void settingsComeBackAsTheyWere() {
        WorkerSettings settings =
                new WorkerSettings(
                        "client-3",
                        "zoid://",
                        List.of(Path.of("/tmp/a b:c"), Path.of("/dev/shm/d")),
                        Path.of("/some/file"),
                        1L << 40,
                        1 << 20,
                        4,
                        Map.of("zoid.runtimeDirectory", "/tmp/x=y"));
        assertThat(WorkerSettings.parse(settings.toArguments())).isEqualTo(settings);
    }

    @Test
    void otherArgumentsAreRefused() {
        assertThatThrownBy(() -> WorkerSettings.parse(List.of("server")))
                .isInstanceOf(IllegalArgumentException.class);
        List<String> noKnob = List.of("server", "a", "0", "c", "1", "1", "1", "knob");
        assertThatThrownBy(() -> WorkerSettings.parse(noKnob))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NAME=VALUE, not knob");
    }
}
