package org.jbmi.rig.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class RoundPlanTest {
    @Test
    void asManyRoundsAsTheTimeHas() {
        RoundPlan plan = RoundPlan.of(times(3000, 0), 150, 1);
        assertEquals(150, plan.roundMillis());
        assertEquals(20, plan.most());
        assertTrue(plan.hasAnother(19, 3500));
        assertFalse(plan.hasAnother(20, 3500));
    }

    @Test
    void endsAfterTwiceTheTimeOfAllSides() {
        RoundPlan plan = RoundPlan.of(times(3000, 0), 100, 2);
        assertTrue(plan.hasAnother(7, 11_999));
        assertFalse(plan.hasAnother(7, 12_000), "each of 2 sides had its 3 s twice");
    }

    @Test
    void hasFiveRoundsHoweverLongTheyTake() {
        RoundPlan plan = RoundPlan.of(times(3000, 0), 100, 1);
        assertTrue(plan.hasAnother(4, 100_000));
        assertFalse(plan.hasAnother(5, 100_000));
    }

    @Test
    void aChosenNumberIsKept() {
        RoundPlan plan = RoundPlan.of(times(3000, 12), 900, 1);
        assertEquals(250, plan.roundMillis());
        assertTrue(plan.hasAnother(11, 100_000));
        assertFalse(plan.hasAnother(12, 100_000));
    }

    @Test
    void aRoundIsNotLongerThanTheTime() {
        assertEquals(2000, RoundPlan.of(times(2000, 0), 60_000, 1).roundMillis());
        assertEquals(50, RoundPlan.of(times(50, 0), 0, 1).roundMillis());
        assertEquals(1, RoundPlan.of(times(0, 0), 0, 1).roundMillis(), "0.4 ms are 0 ms");
    }

    // A waiting thread wakes more often at first, and each round would begin with that.
    @Test
    void idleIsOneRoundUnlessMoreAreChosen() {
        RoundPlan plan = RoundPlan.ofIdle(times(3000, 0));
        assertEquals(3000, plan.roundMillis());
        assertTrue(plan.hasAnother(0, 0));
        assertFalse(plan.hasAnother(1, 3000));
        RoundPlan chosen = RoundPlan.ofIdle(times(3000, 2));
        assertEquals(1500, chosen.roundMillis());
        assertTrue(chosen.hasAnother(1, 1500));
        assertFalse(chosen.hasAnother(2, 3000));
    }

    private static PerfPlan.Times times(long millis, int rounds) {
        return new PerfPlan.Times(0, millis, rounds);
    }
}
