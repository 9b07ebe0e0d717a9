package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.plugins.barrier.BarrierClient;
import org.jbmi.zoid.plugins.test.TestClient;

import java.io.IOException;
import java.util.Map;

/** A process of a job: meets the others, says so itself and by a plug-in, and then obeys. */
public final class JobRank {
    private JobRank() {}

    /**
     * What to do at the end: {@code end}, {@code fail}, or {@code die}: then the last rank dies.
     */
    public static void main(String[] args) {
        Map<String, String> environment = System.getenv();
        try (Bmi bmi = Bmi.open();
                Zoid zoid = Zoid.connect(bmi, environment.get("ZOID_ADDRESS"))) {
            TestClient test = new TestClient(zoid);
            new BarrierClient(zoid).wait_();
            System.out.println("rank " + zoid.myRank() + " of " + zoid.jobSize());
            test.say(1, "plug-in for " + zoid.myRank() + "\n");
            test.say(2, "error for " + zoid.myRank() + "\n");
            boolean last = zoid.myRank() == zoid.jobSize() - 1;
            new BarrierClient(zoid).wait_();
            if (last && args[0].equals("die")) {
                ProcessHandle self = ProcessHandle.current();
                run("kill", "-9", Long.toString(self.pid()));
            } else if (!args[0].equals("end") && !last) {
                test.wait_(3_600_000);
            }
            System.exit(last && args[0].equals("fail") ? 7 : 0);
        }
    }

    private static void run(String... command) {
        try {
            new ProcessBuilder(command).start().waitFor();
            Thread.sleep(60_000);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
