package org.jbmi.loopback;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Connects loopback peers: the program makes a hub and passes it to the builder of every {@link
 * org.jbmi.Bmi} that is to reach the others.
 *
 * <pre>{@code
 * LoopbackHub hub = new LoopbackHub();
 * Bmi server = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://store").open();
 * Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open();
 * PeerAddress store = client.lookup("loopback://store");
 * }</pre>
 *
 * <p>Safe for use by any thread. An instance that was opened without a hub has one of its own, in
 * which it can reach nobody but itself. Members leave when their {@code Bmi} is closed; a hub needs
 * no closing. A server joins when it is opened, a client at its first look-up. This fails with
 * EBUSY if the hub is full, and with EADDRINUSE if another member has the server's name.
 */
public final class LoopbackHub {
    /** How many members fit in a hub by default. */
    public static final int DEFAULT_MAX_MEMBERS = 4096;

    private final int maxMembers;
    private final Set<LoopbackMethod> members = new LinkedHashSet<>();
    private final Map<String, LoopbackMethod> names = new ConcurrentHashMap<>();
    private long lastNumber;

    /** Makes a hub for {@link #DEFAULT_MAX_MEMBERS}. */
    public LoopbackHub() {
        this(DEFAULT_MAX_MEMBERS);
    }

    /**
     * Makes a hub.
     *
     * @param maxMembers how many instances may be in it at a time, 1 or more
     * @throws BmiException with {@link ErrorCode#EINVAL} for less than 1
     */
    public LoopbackHub(int maxMembers) {
        if (maxMembers < 1) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "A hub has room for 1 member or more, not " + maxMembers + ".");
        }
        this.maxMembers = maxMembers;
    }

    /**
     * How many instances are in it.
     *
     * @return 0 or more
     */
    public synchronized int memberCount() {
        return members.size();
    }

    synchronized long nextNumber() {
        return ++lastNumber;
    }

    /** Adds a member under its names, or under none. */
    synchronized void join(LoopbackMethod member, List<String> itsNames) {
        if (members.size() >= maxMembers) {
            throw new BmiException(
                    ErrorCode.EBUSY,
                    "The loopback hub is full: it has "
                            + maxMembers
                            + " members. Close one, or make a hub with more room.");
        }
        Map<String, LoopbackMethod> added = new HashMap<>();
        for (String name : itsNames) {
            if (names.containsKey(name) || added.put(name, member) != null) {
                throw new BmiException(
                        ErrorCode.EADDRINUSE,
                        "An instance listens on "
                                + LoopbackAddress.PREFIX
                                + name
                                + " already; close it, or use another name.");
            }
        }
        names.putAll(added);
        members.add(member);
    }

    synchronized void leave(LoopbackMethod member) {
        members.remove(member);
        names.values().removeIf(named -> named == member);
    }

    @Nullable LoopbackMethod find(String name) {
        return names.get(name);
    }

    synchronized List<LoopbackMethod> members() {
        return new ArrayList<>(members);
    }
}
