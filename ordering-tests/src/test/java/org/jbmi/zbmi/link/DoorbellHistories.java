package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.host.port.Doorbell;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.protocol.Message;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

import java.util.ArrayDeque;

/**
 * An engine sleeps if and only if no message waits: what it does not find before it sleeps wakes
 * it, whichever way the message takes (lane, armed word, doorbell bit, sleep word).
 */
public final class DoorbellHistories {
    private static final int KIND = 7;

    private DoorbellHistories() {}

    /** As it is, in arrays. */
    public static class Sound implements Waiting {
        private final SharedMemory memory;
        private final LanePort port;
        private final Doorbell doorbell;
        private final LaneProducer producer;
        private final DoorbellRinger ringer;
        private final Message sent = new Message();
        private final Message received = new Message();
        private boolean isAsleep;
        private volatile boolean isWoken;

        /** For Lincheck. */
        public Sound() {
            this(new ArrayMemory(Small.BYTES));
        }

        Sound(SharedMemory memory) {
            this.memory = memory;
            port = new LanePort(Small.view(memory, this), Small.WELCOME, 1);
            doorbell = new Doorbell(Small.view(memory, this));
            producer = Small.producerOfPeer(memory);
            ringer = Small.ringer(memory, this);
            LateMemory.settle(memory);
        }

        /** The peer sends. */
        @Operation(nonParallelGroup = "peer")
        public int send(@Param(gen = IntGen.class, conf = "1:9") int value) {
            int result = producer.offer(sent.start(KIND).put(value));
            ringer.ring();
            LateMemory.settle(memory);
            return result;
        }

        /** The engine has nothing to do, or is asleep and may have been woken. */
        @Operation(nonParallelGroup = "engine")
        public String rest() {
            String result = goOn();
            LateMemory.settle(memory);
            return result;
        }

        private String goOn() {
            if (isAsleep && !isWoken) {
                return "asleep";
            }
            if (isAsleep) {
                isAsleep = false;
                doorbell.finishSleep();
            }
            while (true) {
                doorbell.takeRung(0);
                if (!port.goCold()) {
                    return "message";
                }
                isWoken = false;
                if (doorbell.prepareSleep(DoorbellRinger.ON_WORD) != 0) {
                    isAsleep = true;
                    return "asleep";
                }
            }
        }

        /** The engine looks into the lane. */
        @Operation(nonParallelGroup = "engine")
        public String poll() {
            if (isAsleep) {
                return "asleep";
            }
            int result = port.poll(received);
            LateMemory.settle(memory);
            return result == MessageSource.EMPTY ? "empty" : "got " + received.word(0);
        }

        @Override
        public boolean await(SharedMemory in, long at, int expected, long timeoutNs) {
            throw new IllegalStateException("nobody sleeps in earnest");
        }

        @Override
        public void wakeAll(SharedMemory in, long at) {
            isWoken = true;
        }
    }

    /** As it is, where stores are seen as late as may be. */
    public static class Late extends Sound {
        /** For Lincheck. */
        public Late() {
            super(new LateMemory(Small.BYTES, true));
        }
    }

    /** As it is, in a segment. */
    public static class Real extends Sound {
        /** For Lincheck. */
        public Real() {
            super(WeakMemory.sound(Small.BYTES));
        }
    }

    /** What must be found: without fences. */
    public static class Weak extends Sound {
        /** For Lincheck. */
        public Weak() {
            super(new LateMemory(Small.BYTES, false));
        }
    }

    /** What it is to those who use it. */
    public static class Spec {
        private final ArrayDeque<Integer> queue = new ArrayDeque<>();
        private boolean isAsleep;

        /** Wakes it. */
        public int send(int value) {
            if (queue.size() == Small.SLOTS) {
                return MessageSink.FULL;
            }
            queue.add(value);
            return MessageSink.SENT;
        }

        /** Only if there is nothing. */
        public String rest() {
            isAsleep = queue.isEmpty();
            return isAsleep ? "asleep" : "message";
        }

        /** Takes the oldest. */
        public String poll() {
            if (isAsleep) {
                return "asleep";
            }
            Integer value = queue.poll();
            return value == null ? "empty" : "got " + value;
        }
    }
}
