package org.jbmi.zoid.daemon;

import org.jbmi.zoid.forward.JobDescription;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.stub.PluginDispatcher;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** What the plug-in "held" does: its allocator waits until the test lets it go on. */
class HeldFunctions implements Held, PluginProvider {
    final CountDownLatch allocating = new CountDownLatch(1);
    final CountDownLatch goesOn = new CountDownLatch(1);
    final List<String> told = new CopyOnWriteArrayList<>();
    final List<JobDescription> jobs = new CopyOnWriteArrayList<>();
    final AtomicInteger allocatedFor = new AtomicInteger();
    final ReentrantLock lock = new ReentrantLock();
    volatile boolean failing;

    /** What the allocator and {@link #meet} throw; null if nothing. */
    volatile @Nullable RuntimeException thrown;

    private @Nullable PluginServices services;

    @Override
    public MemorySegment keepAllocate(int bytes) {
        told.add("allocate");
        throwAny();
        if (failing) {
            throw new OutOfMemoryError("planted by the test");
        }
        allocatedFor.set(Objects.requireNonNull(services).callingProcess());
        allocating.countDown();
        boolean interrupted = false;
        while (true) {
            try {
                goesOn.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true; // the client has gone; the test says when it goes on
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return Arena.ofAuto().allocate(bytes);
    }

    private void throwAny() {
        RuntimeException own = thrown;
        if (own != null) {
            throw own;
        }
    }

    @Override
    public long keep(MemorySegment data, long bytes) {
        told.add("keep " + bytes);
        return bytes;
    }

    @Override
    public long give(MemorySegment data, LongCell bytes) {
        lock.lock();
        long odd = bytes.get() % 2;
        MemorySegment own = Arena.ofAuto().allocate(bytes.get() + 1, 64).asSlice(odd);
        int process = Objects.requireNonNull(services).callingProcess();
        services.registerUserBuffer(own, _ -> sent(process));
        return own.fill((byte) 7).byteSize();
    }

    private void sent(int process) {
        lock.unlock(); // an exception if this is not the thread that has it
        told.add("sent " + (Objects.requireNonNull(services).callingProcess() == process));
    }

    @Override
    public long offsets(MemorySegment in, MemorySegment out, long bytes) {
        return (in.address() | out.address()) % 64;
    }

    @Override
    public int number(int @Nullable [] values, int count) {
        if (values == null) {
            return -1;
        }
        Arrays.setAll(values, i -> i);
        return count;
    }

    @Override
    public int fill(MemorySegment @Nullable [] rows, int[] sizes, int count) {
        if (rows == null) {
            return -1;
        }
        for (int i = 0; i < rows.length; i++) {
            rows[i].fill((byte) i);
        }
        return count;
    }

    @Override
    public boolean meet(int what) {
        throwAny();
        if (what == 2) {
            throw new NoClassDefFoundError("demo/Gone");
        }
        if (what == 1) {
            told.add("waits");
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                told.add("interrupted");
            }
        }
        return Thread.currentThread().isVirtual();
    }

    @Override
    public void proc(boolean added, int process) {
        if (failing) {
            throw new NoClassDefFoundError("demo/Gone");
        }
    }

    @Override
    public void init(JobDescription job) {
        jobs.add(job);
    }

    @Override
    public void fini() {
        told.add("fini");
    }

    @Override
    public void abandoned(MemorySegment memory) {
        told.add("abandoned " + memory.byteSize());
    }

    @Override
    public void jobEnded(String job) {
        told.add("ended " + job);
    }

    @Override
    public int say(int stream, String text) {
        PluginServices known = Objects.requireNonNull(services);
        return known.sendOutput(
                known.callingProcess(), stream, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String name() {
        return "held";
    }

    @Override
    public PluginDispatcher open(PluginServices known) {
        services = known;
        return new HeldDispatcher(this);
    }
}
