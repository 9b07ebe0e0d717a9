package org.jbmi.zoid.daemon;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The counters of a server: ZOID's categories, and each plug-in. */
final class Traffic {
    private final Category packets = new Category("IP fwd", true);
    private final Category stream = new Category("Stream", true);
    private final Category broadcast = new Category("Broadcast", false);
    private final Category internal = new Category("Internal", true);
    private final Map<Integer, Category> plugins = new ConcurrentHashMap<>();

    /** In the order of loading; a plug-in that was unloaded keeps its place. */
    private final List<Category> inOrder = new CopyOnWriteArrayList<>();

    /** Counts for a plug-in from now on; the last loaded one is printed first. */
    void count(int id) {
        plugins.computeIfAbsent(
                id,
                number -> {
                    Category added = new Category("Plugin " + number, true);
                    inOrder.add(0, added);
                    return added;
                });
    }

    Category packets() {
        return packets;
    }

    Category stream() {
        return stream;
    }

    Category broadcast() {
        return broadcast;
    }

    Category internal() {
        return internal;
    }

    /** The counters of a plug-in; calls of unknown ones are internal. */
    Category plugin(int id) {
        return plugins.getOrDefault(id, internal);
    }

    Statistics now() {
        List<Statistics.Part> parts = new ArrayList<>();
        for (Category each : List.of(packets, stream, broadcast, internal)) {
            parts.add(each.part());
        }
        inOrder.forEach(each -> parts.add(each.part()));
        return new Statistics(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), parts);
    }
}
