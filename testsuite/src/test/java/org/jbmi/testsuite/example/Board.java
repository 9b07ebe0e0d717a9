package org.jbmi.testsuite.example;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the members of the method {@code note} meet: a program hands the same board to all
 * builders. Its lock is the one lock of the method.
 */
final class Board {
    private final List<NoteMethod> members = new ArrayList<>();
    private final Map<String, NoteMethod> servers = new HashMap<>();
    private long numbers;

    synchronized long join(NoteMethod member, List<String> names) {
        for (String name : names) {
            if (servers.containsKey(name)) {
                throw new BmiException(ErrorCode.EADDRINUSE, "Somebody listens on " + name + ".");
            }
        }
        names.forEach(name -> servers.put(name, member));
        members.add(member);
        return ++numbers;
    }

    synchronized @Nullable NoteMethod find(String address) {
        return servers.get(address);
    }

    /** A member closes: all others hear of it. */
    synchronized void leave(NoteMethod member) {
        members.remove(member);
        servers.values().removeIf(member::equals);
        members.forEach(other -> other.lost(member));
    }

    synchronized int size() {
        return members.size();
    }
}
