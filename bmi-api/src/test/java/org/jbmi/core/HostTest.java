package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

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
    }
}
