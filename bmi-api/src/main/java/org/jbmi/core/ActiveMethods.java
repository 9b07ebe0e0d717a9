package org.jbmi.core;

import org.jbmi.spi.Method;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/** The methods at work, oldest first, and what a sleep for all of them sleeps on. Immutable. */
final class ActiveMethods {
    static final ActiveMethods NONE = new ActiveMethods(new Method[0]);

    /** Never changed. */
    final Method[] methods;

    /** Whether progress may ever find anything. */
    final boolean anyNeedsProgress;

    /**
     * The method that sleeps for all: the one with a word, or the first with a selector of its own;
     * null to park or to select here.
     */
    final @Nullable Method sleeper;

    /**
     * Whether a selector is slept on: a method has sockets, or several have words, of which only
     * one could be slept on.
     */
    final boolean selects;

    /**
     * Whether a method has a selector that nobody sleeps in, so that it must be looked at often.
     */
    final boolean hasSecondSelector;

    /** Whether a lead that parks hears of everything all the same. */
    final boolean mayPark;

    /** Whether a sleep finds whatever a look would find. */
    final boolean maySleepFirst;

    private ActiveMethods(Method[] methods) {
        this.methods = methods;
        Method lastWord = null;
        int words = 0;
        boolean sockets = false;
        boolean kept = true;
        boolean progress = false;
        boolean woken = true;
        Method firstSelector = null;
        int selectors = 0;
        for (Method method : methods) {
            progress |= method.needsProgress();
            woken &= method.isWokenForAll();
            kept &= method.isKept() || method.sleepKind() == Method.SleepKind.LOCAL;
            switch (method.sleepKind()) {
                case LOCAL -> {}
                case WORD -> {
                    lastWord = method;
                    words++;
                }
                case SELECTOR -> sockets = true;
            }
            if (method.selector() != null) {
                firstSelector = firstSelector == null ? method : firstSelector;
                selectors++;
            }
        }
        anyNeedsProgress = progress;
        selects = sockets || words > 1;
        sleeper = selects ? firstSelector : lastWord;
        hasSecondSelector = selectors > 1;
        mayPark = kept;
        maySleepFirst = woken && !hasSecondSelector;
    }

    ActiveMethods with(Method method) {
        Method[] grown = Arrays.copyOf(methods, methods.length + 1);
        grown[methods.length] = method;
        return new ActiveMethods(grown);
    }

    boolean areWorthSpinning() {
        for (Method method : methods) {
            if (method.isWorthSpinning()) {
                return true;
            }
        }
        return false;
    }
}
