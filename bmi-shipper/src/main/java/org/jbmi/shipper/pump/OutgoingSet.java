package org.jbmi.shipper.pump;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Messages that are on their way; one leaves by itself when it is over. Adding allocates nothing
 * once the set has been as large. A message is in one set at most. Guarded by the pump's lock.
 */
public final class OutgoingSet {
    private static final int FEW = 4;

    private @Nullable Outgoing[] messages = new Outgoing[FEW];
    private int size;

    /** Makes an empty set. */
    public OutgoingSet() {}

    /**
     * Adds a message.
     *
     * @param message one that is pending, and in no set
     */
    public void add(Outgoing message) {
        if (size == messages.length) {
            messages = Arrays.copyOf(messages, 2 * size);
        }
        message.set = this;
        message.place = size;
        messages[size++] = message;
    }

    void remove(Outgoing message) {
        Outgoing last = messages[--size];
        messages[size] = null;
        if (last != null && last != message) {
            last.place = message.place;
            messages[message.place] = last;
        }
        message.set = null;
    }

    /**
     * Does something with each of them.
     *
     * @param action must not end any of them at once
     */
    public void forEach(Consumer<Outgoing> action) {
        for (int i = 0; i < size; i++) {
            Outgoing message = messages[i];
            if (message != null) {
                action.accept(message);
            }
        }
    }
}
