package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.util.function.Supplier;

/**
 * What the lead sleeps on until a method has something for it. With one method the lead sleeps in
 * that method's place. With several it takes the one place in which it hears of all of them: the
 * selector of a method if one has its own, a selector of the core if one has a channel or several
 * have words, the word if one has that, else it parks.
 *
 * <p>A lead on a virtual thread always parks. Where it cannot hear of a method it looks again every
 * millisecond.
 */
public sealed interface SleepPlace {
    /** A sleep of a method's own. */
    interface Sleep {
        /**
         * Sleeps until there is an event, {@link #wake} is called, or the time is over. Called by
         * the lead between {@link Waitable#arm} and {@link Waitable#disarm}. May return early for
         * no reason.
         *
         * @param timeoutNs the longest sleep
         */
        void sleep(long timeoutNs);

        /**
         * Ends {@link #sleep} in another thread, or the next one if none is under way. Called by
         * any thread, from within calls of {@link MethodHost} too, whatever locks their callers
         * hold: takes no lock and waits for nothing.
         */
        void wake();
    }

    /**
     * Any place: all events come from threads of this process, which call {@link MethodHost#wake}.
     */
    record Anywhere() implements SleepPlace {}

    /**
     * A word in shared memory that another process wakes.
     *
     * @param sleep on the word
     * @param elsewhere gives the channel that becomes readable when a lead that sleeps in a
     *     selector must wake; null while there is none
     */
    record Word(Sleep sleep, Supplier<@Nullable SelectableChannel> elsewhere)
            implements SleepPlace {}

    /**
     * A word in shared memory. While the lead sleeps elsewhere a thread of the method's own makes
     * its progress and reports through {@link MethodHost}, so that any other place serves as well.
     *
     * @param sleep on the word
     */
    record KeptWord(Sleep sleep) implements SleepPlace {}

    /**
     * A channel for a selector of the core.
     *
     * @param channel becomes readable when the lead must wake; does not block
     */
    record Channel(SelectableChannel channel) implements SleepPlace {}

    /**
     * A selector of the method's own, in which its many sockets are registered. Before each sleep
     * the core registers the channels of the other methods there, with no attachment. The sleep
     * selects, ignores keys without the method's own attachment, and leaves no key selected.
     *
     * <p>A sleep with the {@link Waitable#arm} before it ends at once for everything that {@link
     * Waitable#poll} would find, what the last poll left for the next one included. So a caller
     * that is not to look around sleeps first, if this is the one method with a waitable.
     *
     * <p>Of several such methods the first one's selector is slept in; the others are looked at
     * every millisecond.
     *
     * @param selector what is selected
     * @param sleep in the selector; its wake wakes the selector up
     */
    record OwnSelector(Selector selector, Sleep sleep) implements SleepPlace {}
}
