package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.scripted.Script;
import org.jbmi.spi.MethodHost;
import org.junit.jupiter.api.Test;

/** What a method sees of the core. */
class HostTest extends ScriptedTest {
    @Test
    void methodSeesHowItsInstanceWasBuilt() {
        MethodHost host = method.host();
        assertThat(host.configuration()).isSameAs(bmi.configuration());
        assertThat(host.counters()).isSameAs(bmi.counters());
        assertThat(host.attachment(Script.class)).isSameAs(script);
        assertThat(host.attachment(String.class)).isNull();
        assertThat(host.bindSpecific()).isFalse();
        Script own = new Script();
        try (Bmi specific =
                Bmi.builder().attach(Script.class, own).method("test").bindSpecific(true).open()) {
            assertThat(own.test().host().bindSpecific()).isTrue();
            assertThat(specific.isClosed()).isFalse();
        }
    }
}
