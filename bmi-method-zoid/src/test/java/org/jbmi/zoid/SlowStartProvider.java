package org.jbmi.zoid;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.channel.ServerAttachment;
import org.jbmi.zbmi.host.DirectHosting;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.server.ZoidServer;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * An embedded server of zoid that is interrupted in its start, after the engine runs, until a
 * message of a client has come: as may happen to any, if its machine is busy.
 */
public final class SlowStartProvider implements MethodProvider {
    private static final long PATIENCE_S = 30;

    @Override
    public String scheme() {
        return "slowstart";
    }

    @Override
    public Availability availability() {
        return Availability.AVAILABLE;
    }

    @Override
    public List<Knob<?>> knobs() {
        return List.of();
    }

    @Override
    public MethodLimits limits(Configuration configuration) {
        return new MethodLimits(1 << 20, 8192, 0, 100);
    }

    @Override
    public Method open(MethodHost host, List<String> listenAddresses) {
        Configuration knobs = host.configuration();
        RuntimeDirectory directory =
                new RuntimeDirectory(Path.of(knobs.get(RuntimeDirectory.KNOB)));
        ServerAttachment attachment = new DirectHosting.Provider().embedded(directory, knobs);
        return new ZoidServer(host, new Slow(attachment), Seams.production());
    }

    private record Slow(ServerAttachment inner) implements ServerAttachment {
        @Override
        public EngineDoor open(DoorEvents events) {
            CountDownLatch came = new CountDownLatch(1);
            EngineDoor door = inner.open(watched(events, came));
            try {
                if (!came.await(PATIENCE_S, TimeUnit.SECONDS)) {
                    throw new AssertionError("no message came");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return door;
        }

        private static DoorEvents watched(DoorEvents events, CountDownLatch came) {
            Class<DoorEvents> type = DoorEvents.class;
            return (DoorEvents)
                    Proxy.newProxyInstance(
                            type.getClassLoader(),
                            new Class<?>[] {type},
                            (proxy, method, arguments) -> {
                                method.invoke(events, arguments);
                                if (method.getName().equals("unexpected")) {
                                    came.countDown();
                                }
                                return null;
                            });
        }

        @Override
        public View view() {
            return inner.view();
        }

        @Override
        public boolean isKept() {
            return inner.isKept();
        }

        @Override
        public void hangUp() {
            inner.hangUp();
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
