package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.util.function.Supplier;

/**
 * What the lead sleeps on until a method has an event. With one method the lead uses that method's
 * place. With several methods it uses a place where each of them can end the sleep, the first of
 * these that there is:
 *
 * <ul>
 *   <li>the selector of a method that has its own;
 *   <li>a selector of the core, if a method has a channel or several methods have a word;
 *   <li>the word of the only method that has one;
 *   <li>else it parks.
 * </ul>
 *
 * <p>A lead on a virtual thread always parks. It polls every millisecond where a method cannot end
 * its sleep.
 */
public sealed interface SleepPlace {
    /** A sleep that a method implements. */
    interface Sleep {
        /**
         * Sleeps until there is an event, {@link #wake} is called, or the time has passed. Called
         * by the lead between {@link Waitable#arm} and {@link Waitable#disarm}. May return early
         * for no reason. An interrupt ends a sleep in a selector. It does not end a sleep on a
         * word. For such a sleep the core gives a timeout of at most 0.1 s, or of 1 s if nothing
         * has happened for 1 s. After the sleep it looks for an interrupt.
         *
         * @param timeoutNs the longest sleep
         */
        void sleep(long timeoutNs);

        /**
         * Ends {@link #sleep} in another thread, or prevents the next one. Called by any thread,
         * also from within calls of {@link MethodHost}, with any locks held: takes no lock and
         * never waits.
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
     * @param elsewhere gives the channel that becomes readable when the method has an event. It is
     *     for a lead that sleeps in a selector instead of on the word; null while there is no
     *     channel. The core asks before each sleep in a selector. If the answer is null, the core
     *     also removes the channel that it got before from its selector
     */
    record Word(Sleep sleep, Supplier<@Nullable SelectableChannel> elsewhere)
            implements SleepPlace {}

    /**
     * A word in shared memory, of a method with a thread of its own. While the lead sleeps
     * elsewhere that thread makes the method's progress and calls {@link MethodHost}, so the lead
     * may sleep in any other place too.
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
     * <p>After {@link Waitable#arm} the sleep ends at once for everything that {@link
     * Waitable#poll} would find, including events that the previous poll did not handle. So a
     * caller with the policy {@code block} sleeps without a poll before, if this is the only
     * waitable.
     *
     * <p>With several such methods the lead uses the first one's selector and polls the others
     * every millisecond.
     *
     * @param selector the selector
     * @param sleep in the selector; its wake wakes the selector up
     */
    record OwnSelector(Selector selector, Sleep sleep) implements SleepPlace {}
}
