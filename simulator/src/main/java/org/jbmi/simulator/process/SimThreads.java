package org.jbmi.simulator.process;

import org.jbmi.mempool.Parking;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The threads of a simulated process: each of its actions on the stack is one. A Thread object that
 * never runs represents it.
 */
public final class SimThreads implements Parking {
    private static final int FOR_NO_REASON_PERCENT = 1;

    private final SimProcess process;
    private final Schedule schedule;
    private final List<Frame> frames = new ArrayList<>();

    private static final class Frame extends Thread {
        private boolean isParked;
        private boolean isLetGo;
        private boolean isForgotten;

        Frame(String name) {
            super(name);
        }
    }

    SimThreads(SimProcess process) {
        this.process = process;
        this.schedule = process.schedule;
    }

    private Frame top() {
        while (frames.size() <= process.frames) {
            frames.add(new Frame(process.name + ", action " + frames.size()));
        }
        return frames.get(process.frames);
    }

    // The caller is about to publish this thread, so other processes may run now.
    @Override
    public Thread current() {
        process.checkAlive();
        schedule.meanwhile(process);
        process.checkAlive();
        return top();
    }

    @Override
    public void park(Object blocker, long timeoutNs) {
        Frame self = top();
        self.isParked = true;
        try {
            sleep(
                    () -> self.isLetGo || process.hasReadySleepers(),
                    () -> self.isForgotten,
                    timeoutNs);
        } finally {
            self.isParked = false;
            self.isLetGo = false;
            self.isForgotten = false;
        }
    }

    @Override
    public void unpark(@Nullable Thread thread) {
        if (!(thread instanceof Frame known)) {
            return;
        }
        if (known.isParked && schedule.losesWake()) {
            known.isForgotten = true;
        } else {
            known.isLetGo = true;
        }
    }

    /** Sleeps inside a call, in a selector or parked, and sometimes wakes without a reason. */
    public void sleep(BooleanSupplier isReady, BooleanSupplier isLost, long timeoutNs) {
        sleep(isReady, isLost, timeoutNs, FOR_NO_REASON_PERCENT);
    }

    /** Sleeps inside a call until it is ready or the time is over; never wakes without a reason. */
    public void sleepUntilReady(BooleanSupplier isReady, long timeoutNs) {
        sleep(isReady, () -> false, timeoutNs, 0);
    }

    private void sleep(
            BooleanSupplier isReady, BooleanSupplier isLost, long timeoutNs, int noReasonPercent) {
        long endNs = schedule.nowNs() + Math.max(0, timeoutNs);
        boolean isCall = process.isInCall();
        process.sleeps();
        process.inCall += isCall ? 1 : 0;
        try {
            sleepUntil(isReady, isLost, endNs, noReasonPercent);
        } finally {
            process.inCall -= isCall ? 1 : 0;
        }
    }

    private void sleepUntil(
            BooleanSupplier isReady, BooleanSupplier isLost, long endNs, int noReasonPercent) {
        int patience = process.patience();
        while (!isReady.getAsBoolean()) {
            if (process.isHostBusy() || isLost.getAsBoolean() || patience-- == 0) {
                process.outOfPatience(endNs);
                return;
            }
            process.standBy();
            process.checkAlive();
            // A chance of 0 would throw the dice too, and change all that follows.
            if (schedule.nowNs() - endNs >= 0
                    || (noReasonPercent > 0 && schedule.dice.chance(noReasonPercent))) {
                return;
            }
        }
        // A woken thread does not run at once.
        for (int late = schedule.dice.below(3); late > 0 && !process.isHostBusy(); late--) {
            process.standBy();
            process.checkAlive();
        }
    }

    /** Called when the process has no frame on the stack any more. */
    public void forget() {
        frames.clear();
    }
}
