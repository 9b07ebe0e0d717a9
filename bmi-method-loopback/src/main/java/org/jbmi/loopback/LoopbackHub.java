package org.jbmi.loopback;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    /** Null where a member has left; so a close visits the others without a copy of the list. */
    private final List<@Nullable LoopbackMethod> members = new ArrayList<>();

    private int memberCount;
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
        return memberCount;
    }

    synchronized long nextNumber() {
        return ++lastNumber;
    }

    /** Adds a member under its names, or under none. */
    synchronized void join(LoopbackMethod member) {
        if (memberCount >= maxMembers) {
            throw new BmiException(
                    ErrorCode.EBUSY,
                    "The loopback hub is full: it has "
                            + maxMembers
                            + " members. Close one, or make a hub with more room.");
        }
        Map<String, LoopbackMethod> added = new HashMap<>();
        for (String name : member.names()) {
            if (names.containsKey(name) || added.put(name, member) != null) {
                throw new BmiException(
                        ErrorCode.EADDRINUSE,
                        "An instance listens on "
                                + LoopbackAddress.PREFIX
                                + name
                                + " already; close it, or use another name.");
            }
        }
        int slot = members.indexOf(null);
        if (slot < 0) {
            slot = members.size();
            members.add(null);
        }
        members.set(slot, member);
        memberCount++;
        try {
            names.putAll(added);
        } catch (OutOfMemoryError e) {
            leave(member); // which takes the names back that it has
            throw e;
        }
    }

    /** Removes a member. Needs no memory. */
    synchronized void leave(LoopbackMethod member) {
        members.set(members.indexOf(member), null);
        memberCount--;
        for (int i = 0; i < member.names().size(); i++) {
            names.remove(member.names().get(i), member);
        }
    }

    @Nullable LoopbackMethod find(String name) {
        return names.get(name);
    }

    /** How many slots there are for {@link #member}. */
    synchronized int slotCount() {
        return members.size();
    }

    /** The member in a slot, which it keeps until it leaves; null if there is none. */
    synchronized @Nullable LoopbackMethod member(int slot) {
        return members.get(slot);
    }
}
