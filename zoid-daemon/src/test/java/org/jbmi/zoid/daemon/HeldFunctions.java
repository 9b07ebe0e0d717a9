package org.jbmi.zoid.daemon;

import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.stub.PluginDispatcher;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** What the plug-in "held" does: its allocator waits until the test lets it go on. */
final class HeldFunctions implements Held, PluginProvider {
    final CountDownLatch allocating = new CountDownLatch(1);
    final CountDownLatch goesOn = new CountDownLatch(1);
    final List<String> told = new CopyOnWriteArrayList<>();
    private @Nullable PluginServices services;

    @Override
    public MemorySegment keepAllocate(int bytes) {
        told.add("allocate");
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

    @Override
    public long keep(MemorySegment data, long bytes) {
        told.add("keep " + bytes);
        return bytes;
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
