package org.jbmi.tools.zbmi;

import org.jbmi.Bmi;
import org.jbmi.UnexpectedMessages;

/** A server that takes what comes and answers nothing, until it is killed. */
final class LoneServer {
    private static final int IDLE_MS = 100;

    private LoneServer() {}

    public static void main(String[] arguments) {
        try (Bmi bmi =
                Bmi.builder()
                        .knob("zoid.runtimeDirectory", arguments[0])
                        .knob("zoid.host", arguments[1])
                        .listen("zoid://")
                        .open()) {
            System.out.println("ready");
            UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
            while (!bmi.isClosed()) {
                if (bmi.testUnexpected(messages, IDLE_MS) == 1) {
                    messages.free(0);
                }
            }
        }
    }
}
