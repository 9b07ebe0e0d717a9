package org.jbmi.zoid.forward.stub;

import org.jbmi.zoid.forward.client.Zoid;

/** One plug-in, as a generated client stub sees it. Safe for use by any thread. */
public final class ClientPlugin {
    private final Zoid zoid;
    private final int id;
    private final String name;
    private final String[] signatures;
    private final long[] hashes;

    /**
     * Names a plug-in.
     *
     * @param zoid the client
     * @param id the number of the plug-in
     * @param name its name
     * @param signatures of its functions, in order
     */
    public ClientPlugin(Zoid zoid, int id, String name, String... signatures) {
        this.zoid = zoid;
        this.id = id;
        this.name = name;
        this.signatures = signatures.clone();
        this.hashes = new long[signatures.length];
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = Signatures.hash(signatures[i]);
        }
    }

    /**
     * Begins a call.
     *
     * @param function its place in the interface
     * @return the call, for this thread
     */
    public ClientCall begin(int function) {
        return new ClientCall(zoid, this, function);
    }

    int id() {
        return id;
    }

    long hash(int function) {
        return hashes[function];
    }

    String words(int function) {
        String signature = signatures[function];
        return name + "." + signature.substring(0, signature.indexOf('('));
    }
}
