package org.jbmi.zbmi.engine.state;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The receives that one client has posted as notes, by the client's own references: the engine
 * never told the client its ids of them. The lower half of a reference is a place in a table. The
 * table grows to the most places that were ever needed, within the session's limit.
 */
public final class NotedReceives {
    private static final int FIRST_SIZE = 16;

    private final int limit;
    private @Nullable Operation[] places = new Operation[0];

    public NotedReceives(int limit) {
        this.limit = limit;
    }

    /** Whether a reference has a slot that exists and is free. */
    public boolean isFree(long reference) {
        int place = (int) reference;
        return place >= 0 && place < limit && (place >= places.length || places[place] == null);
    }

    /** Remembers a receive whose reference {@link #isFree}. */
    public void add(Operation receive) {
        int place = (int) receive.reference;
        if (place >= places.length) {
            int size = Math.max(FIRST_SIZE, Math.max(place + 1, 2 * places.length));
            places = Arrays.copyOf(places, Math.min(limit, size));
        }
        places[place] = receive;
        receive.isNoted = true;
    }

    public void remove(Operation receive) {
        places[(int) receive.reference] = null;
        receive.isNoted = false;
    }

    /** The receive with exactly this reference, or null. */
    public @Nullable Operation find(long reference) {
        int place = (int) reference;
        Operation found = place >= 0 && place < places.length ? places[place] : null;
        return found != null && found.reference == reference ? found : null;
    }
}
