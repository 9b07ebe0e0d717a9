package org.jbmi.zoid.plugins;

import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.stub.ClientCall;
import org.jbmi.zoid.forward.stub.ClientPlugin;

/** Calls a plug-in whose stub the test does not have, as its stub would. */
final class LiveCalls {
    private LiveCalls() {}

    static int version(Zoid zoid) {
        ClientCall call = new ClientPlugin(zoid, 300, "live", "version():i32").begin(0);
        call.forward();
        int version = call.in().getInt();
        call.in().end();
        return version;
    }
}
