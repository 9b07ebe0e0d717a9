package org.jbmi.zoid.common;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.spi.MethodAddress;

/** A zoid peer: the server, or one generation of a client's session. */
public final class ZoidAddress extends MethodAddress {
    /** The only address that there is. */
    public static final String SERVER = "zoid://";

    private final int session;
    private final int generation;
    private boolean hasSent;
    private boolean isOwnUser;
    private volatile int failure;

    private ZoidAddress(int session, int generation) {
        this.session = session;
        this.generation = generation;
    }

    /**
     * Checks an address as a program writes it.
     *
     * @throws BmiException with {@link ErrorCode#ENOPROTOOPT} if it is none of zoid's
     */
    public static void check(String address) {
        if (!address.equals(SERVER)) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT,
                    "\"" + address + "\" is no zoid address; the only one is \"zoid://\".");
        }
    }

    /** The server. */
    public static ZoidAddress server() {
        return new ZoidAddress(0, 0);
    }

    /** A client. */
    public static ZoidAddress client(int session, int generation) {
        return new ZoidAddress(session, generation);
    }

    /** Whether it is the server. */
    public boolean isServer() {
        return session == 0;
    }

    /** The client's session. */
    public int session() {
        return session;
    }

    /** The generation of that session. */
    public int generation() {
        return generation;
    }

    /** Whether it is this generation of this session. */
    public boolean isLife(int ofSession, int ofGeneration) {
        return session == ofSession && generation == ofGeneration;
    }

    /** 0, or the negative code that posts fail with. */
    public int failure() {
        return failure;
    }

    /** Marks it as failed. */
    public void failure(int code) {
        failure = code;
    }

    /** Whether an unexpected message of this client has come. */
    public boolean hasSent() {
        return hasSent;
    }

    /** The first unexpected message of this client comes; the program does not know it yet. */
    public void sends(boolean isRelayed) {
        hasSent = true;
        isOwnUser = !isRelayed;
    }

    @Override
    public boolean isOwnUser() {
        return isOwnUser;
    }

    @Override
    public String displayName() {
        return isServer() ? SERVER : "zoid client " + session + "." + generation;
    }
}
