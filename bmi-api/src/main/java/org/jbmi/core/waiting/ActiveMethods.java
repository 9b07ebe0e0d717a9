package org.jbmi.core.waiting;

import org.jbmi.spi.Method;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;
import org.jspecify.annotations.Nullable;

import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The active methods, oldest first, and how the lead sleeps for all of them. Immutable. */
final class ActiveMethods {
    static final ActiveMethods NONE = new ActiveMethods(new Method[0]);

    /**
     * How often the lead polls where some events cannot end its sleep. This is so on a virtual
     * thread, which must not block its carrier, and for a second method with its own selector.
     */
    private static final long BLIND_SLICE_NS = 1_000_000;

    /**
     * A sleep on a word ends neither by an interrupt nor by the end of the process that would wake
     * it. So the lead wakes up this often. It looks for an interrupt. Its poll finds processes that
     * have ended, and sends what had no room before. A lead that has found nothing for {@link
     * #LONG_SLICE_NS} does so only that often: a thousand processes that wait would otherwise keep
     * a processor busy.
     */
    private static final long WORD_SLICE_NS = 100_000_000;

    /**
     * An interrupt ends a sleep in a selector, and a park, so no method needs these to end sooner.
     * The end of the slice bounds what a mistake in a wake-up could cost, and lets the lead note
     * which operations are pending.
     */
    static final long LONG_SLICE_NS = 1_000_000_000;

    /** Never changed. */
    final Method[] methods;

    /** What the lead polls, arms and disarms; never changed. */
    final Waitable[] waitables;

    /** What each of {@link #waitables} sleeps on; never changed. */
    final SleepPlace[] places;

    /** The waitable whose own sleep the lead uses; null if it uses none. */
    final @Nullable Waitable sleeper;

    /** The sleep of that waitable: on its word or in its selector. */
    final SleepPlace.@Nullable Sleep sleep;

    /** The selector of that sleep; null if it uses none. */
    final @Nullable Selector sleeperSelector;

    /** Whether a lead without such a sleep selects; otherwise it parks. */
    final boolean selects;

    /** The longest sleep of a lead that found something a moment ago, in nanoseconds. */
    private final long firstSliceNs;

    /** The longest sleep in the place of {@link #sleep} before the lead polls, in nanoseconds. */
    final long sleepSliceNs;

    /** The longest park before the lead polls again, in nanoseconds. */
    final long parkSliceNs;

    /** Whether a sleep ends for every event that a poll would find. */
    final boolean maySleepFirst;

    private ActiveMethods(Method[] methods) {
        this.methods = methods;
        waitables = waitablesOf(methods);
        places = Stream.of(waitables).map(Waitable::sleepsOn).toArray(SleepPlace[]::new);
        Waitable word = null;
        Waitable selector = null;
        int words = 0;
        int channels = 0;
        int selectors = 0;
        boolean hearsParked = true;
        for (int i = 0; i < places.length; i++) {
            switch (places[i]) {
                case SleepPlace.Anywhere _ -> {}
                case SleepPlace.KeptWord _ -> {
                    word = waitables[i];
                    words++;
                }
                case SleepPlace.Word _ -> {
                    word = waitables[i];
                    words++;
                    hearsParked = false;
                }
                case SleepPlace.Channel _ -> {
                    channels++;
                    hearsParked = false;
                }
                case SleepPlace.OwnSelector _ -> {
                    selector = selector == null ? waitables[i] : selector;
                    selectors++;
                    hearsParked = false;
                }
            }
        }
        selects = channels + selectors > 0 || words > 1; // a single word can be slept on
        sleeper = selects ? selector : word;
        SleepPlace place = sleeper == null ? null : sleeper.sleepsOn();
        sleep = place == null ? null : sleepOf(place);
        sleeperSelector = place instanceof SleepPlace.OwnSelector own ? own.selector() : null;
        firstSliceNs = words > 0 ? WORD_SLICE_NS : LONG_SLICE_NS;
        sleepSliceNs = selectors > 1 ? BLIND_SLICE_NS : Long.MAX_VALUE;
        parkSliceNs = hearsParked ? Long.MAX_VALUE : BLIND_SLICE_NS;
        maySleepFirst = waitables.length == 1 && selectors == 1;
    }

    private static Waitable[] waitablesOf(Method[] methods) {
        List<Waitable> waitables = new ArrayList<>();
        for (Method method : methods) {
            Waitable waitable = method.waitable();
            if (waitable != null) {
                waitables.add(waitable);
            }
        }
        return waitables.toArray(Waitable[]::new);
    }

    private static SleepPlace.@Nullable Sleep sleepOf(SleepPlace place) {
        return switch (place) {
            case SleepPlace.Word word -> word.sleep();
            case SleepPlace.KeptWord word -> word.sleep();
            case SleepPlace.OwnSelector own -> own.sleep();
            case SleepPlace.Anywhere _, SleepPlace.Channel _ -> null;
        };
    }

    ActiveMethods with(Method method) {
        Method[] grown = Arrays.copyOf(methods, methods.length + 1);
        grown[methods.length] = method;
        return new ActiveMethods(grown);
    }

    /**
     * The longest sleep, wherever the lead sleeps.
     *
     * @param idleNs for how long it has found nothing, in nanoseconds
     */
    long sliceNs(long idleNs) {
        return idleNs < LONG_SLICE_NS ? firstSliceNs : LONG_SLICE_NS;
    }

    boolean isAnyEventNear() {
        for (Waitable waitable : waitables) {
            if (waitable.isEventNear()) {
                return true;
            }
        }
        return false;
    }
}
