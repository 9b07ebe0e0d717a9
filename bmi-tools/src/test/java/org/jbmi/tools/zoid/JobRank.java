package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.plugins.barrier.BarrierClient;
import org.jbmi.zoid.plugins.test.TestClient;

import java.util.Map;

/** A process of a job: meets the others, says so itself and by a plug-in. */
public final class JobRank {
    private JobRank() {}

    /** Its arguments are for the script to see. */
    public static void main(String[] args) {
        Map<String, String> environment = System.getenv();
        try (Bmi bmi = Bmi.open();
                Zoid zoid = Zoid.connect(bmi, environment.get("ZOID_ADDRESS"))) {
            TestClient test = new TestClient(zoid);
            new BarrierClient(zoid).wait_();
            System.out.println("rank " + zoid.myRank() + " of " + zoid.jobSize());
            test.say(1, "plug-in for " + zoid.myRank() + "\n");
            test.say(2, "error for " + zoid.myRank() + "\n");
            new BarrierClient(zoid).wait_();
        }
    }
}
