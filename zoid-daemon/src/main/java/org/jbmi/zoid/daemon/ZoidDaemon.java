package org.jbmi.zoid.daemon;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.Call;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.zoid.daemon.packet.PacketService;
import org.jbmi.zoid.daemon.plugin.Plugins;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jbmi.zoid.forward.wire.Attendance_JoinInCodec;
import org.jbmi.zoid.forward.wire.Attendance_JoinOutCodec;
import org.jbmi.zoid.forward.wire.Attendance_OutCodec;
import org.jbmi.zoid.forward.wire.Broadcasting_AnswerCodec;
import org.jbmi.zoid.forward.wire.Broadcasting_InCodec;
import org.jbmi.zoid.forward.wire.Broadcasting_OutCodec;
import org.jbmi.zoid.forward.wire.Broadcasting_WishCodec;
import org.jbmi.zoid.forward.wire.Forwarded_InCodec;
import org.jbmi.zoid.forward.wire.Forwarded_OutCodec;
import org.jbmi.zoid.forward.wire.Names;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A server of call forwarding: takes processes in, and runs the functions of plug-ins for them,
 * over every address on which its instance listens. A call has a virtual thread, or the thread that
 * takes calls in if the last calls of its function were quick. Safe for use by any thread.
 */
public final class ZoidDaemon implements AutoCloseable {
    private static final int MOST_PROCESSES = 4096;
    private static final int MOST_RUNNING = 1 << 20;
    private static final Duration BROADCAST_PATIENCE = Duration.ofSeconds(30);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

    private final ShipperServer server;
    private final Processes processes = new Processes(MOST_PROCESSES);
    private final Jobs jobs;
    private final Plugins plugins;
    private final Traffic traffic = new Traffic();
    private final Forwarding forwarding;
    private final Broadcasts broadcasts;
    private final PacketService packets;
    private final ZoidSettings settings;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Runnable untell;

    private ZoidDaemon(
            Bmi bmi,
            ZoidSettings settings,
            Iterable<PluginProvider> providers,
            Duration broadcastPatience,
            Consumer<String> log) {
        this.settings = settings;
        this.plugins = new Plugins(providers, this::services, traffic::count, log);
        this.jobs = new Jobs(new JobHooks(settings, log, System.getenv()), plugins);
        try {
            plugins.loadAll(settings.modules());
            this.forwarding = new Forwarding(settings, processes, plugins, traffic);
            this.broadcasts = new Broadcasts(processes, traffic.broadcast(), broadcastPatience);
            Category counters = traffic.packets();
            this.packets = new PacketService(new Senders(), counters::sent, counters::received);
            this.server =
                    Shipper.builder(bmi)
                            .knob("shipper.maxRunning", Integer.toString(MOST_RUNNING))
                            .knob("shipper.maxRunningPerClient", "256")
                            .knob("shipper.maxInputBytes", Integer.toString(inputBytes(settings)))
                            .server();
        } catch (RuntimeException | Error e) {
            plugins.close();
            throw e;
        }
        this.untell = ForwardedTrafficEvent.tell(traffic::now);
    }

    /** Requests and words of a usual size; larger ones are refused before they take memory. */
    private static int inputBytes(ZoidSettings settings) {
        return Math.clamp(settings.limitBytes() + 1024L, JobWords.MOST_INPUT_BYTES, 64 << 20);
    }

    /**
     * Starts a server with the plug-ins that the service loader finds.
     *
     * @param bmi the messaging instance; the server retains it until the close
     * @param settings how it is set up
     * @param log gets a sentence for each failure
     * @return a server that takes calls
     * @throws IllegalArgumentException if two plug-ins have one number, if one lacks a setting or
     *     cannot be loaded, or if there is a setting that no plug-in has
     */
    public static ZoidDaemon serve(Bmi bmi, ZoidSettings settings, Consumer<String> log) {
        return serve(bmi, settings, ServiceLoader.load(PluginProvider.class), log);
    }

    /**
     * Starts a server with given plug-ins, of which it loads those that its settings name.
     *
     * @param bmi what it listens on; it is retained until the close
     * @param settings how it is set up
     * @param providers the plug-ins that there are
     * @param log gets a sentence for each thing that goes wrong
     * @return a server that takes calls
     * @throws IllegalArgumentException if two plug-ins have one number, if one cannot be loaded, or
     *     if there is a setting that no plug-in has
     */
    public static ZoidDaemon serve(
            Bmi bmi,
            ZoidSettings settings,
            Iterable<PluginProvider> providers,
            Consumer<String> log) {
        return serve(bmi, settings, providers, BROADCAST_PATIENCE, log);
    }

    /** With another patience for receivers of broadcasts than the usual one. */
    static ZoidDaemon serve(
            Bmi bmi,
            ZoidSettings settings,
            Iterable<PluginProvider> providers,
            Duration broadcastPatience,
            Consumer<String> log) {
        ZoidDaemon daemon =
                new ZoidDaemon(bmi, settings, checked(settings, providers), broadcastPatience, log);
        try {
            daemon.register();
            daemon.server.start();
        } catch (RuntimeException | Error e) {
            daemon.close();
            throw e;
        }
        return daemon;
    }

    /**
     * Lists the plug-ins that there are now. Refuses settings that none has: a mistyped name would
     * silently leave the default in force.
     */
    private static List<PluginProvider> checked(
            ZoidSettings settings, Iterable<PluginProvider> providers) {
        List<PluginProvider> all = new ArrayList<>();
        try {
            providers.forEach(all::add);
        } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
            throw new IllegalArgumentException(
                    "A plug-in of the class path cannot be loaded: " + e, e);
        }
        Set<String> known = new TreeSet<>();
        for (PluginProvider each : all) {
            try {
                known.addAll(each.settings());
            } catch (LinkageError | Exception e) {
                throw Plugins.failure("The plug-in " + each.name(), e);
            }
        }
        for (String name : settings.plugins().keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "No plug-in has a setting '%s'. There are: %s."
                                .formatted(name, String.join(", ", known)));
            }
        }
        return all;
    }

    private PluginServices services(Map<String, String> settingsOfPlugin) {
        Map<String, String> all = new HashMap<>(settings.plugins());
        all.putAll(settingsOfPlugin); // they take precedence
        return new Services(all, processes, jobs, () -> forwarding);
    }

    private void register() {
        server.register(
                Names.ATTEND,
                JobWords.ComingCodec.INSTANCE,
                Attendance_OutCodec.INSTANCE,
                this::attend);
        server.register(
                Names.JOIN,
                Attendance_JoinInCodec.INSTANCE,
                Attendance_JoinOutCodec.INSTANCE,
                this::join);
        server.registerShort(
                Names.CALL,
                Forwarded_InCodec.INSTANCE,
                Forwarded_OutCodec.INSTANCE,
                forwarding::handle,
                forwarding::isQuick);
        server.register(
                Names.STAT,
                JobWords_NothingCodec.INSTANCE,
                StatisticsCodec.INSTANCE,
                call -> statistics());
        new JobService(jobs, traffic).register(server);
        packets.register(server);
        new ModuleService(plugins, settings.live()).register(server);
        server.register(
                Names.ENROL,
                Attendance_JoinInCodec.INSTANCE,
                Attendance_OutCodec.INSTANCE,
                broadcasts::enrol);
        server.register(
                Names.RECEIVE,
                Broadcasting_InCodec.INSTANCE,
                Broadcasting_OutCodec.INSTANCE,
                broadcasts::receive);
        server.register(
                Names.BROADCAST,
                Broadcasting_WishCodec.INSTANCE,
                Broadcasting_AnswerCodec.INSTANCE,
                broadcasts::broadcast);
    }

    // ------------------------------------------------------------------ processes

    /** Whose packets are taken. */
    private final class Senders implements PacketService.Processes {
        @Override
        public boolean isThere(int process, long key) {
            return processes.find(process, key) != null;
        }

        @Override
        public boolean translates(int process) {
            ZoidProcess known = processes.find(process);
            return known != null && jobs.translates(known);
        }
    }

    /** Under way as long as the process lives: its thread is interrupted when it has gone. */
    private Attendance.Out attend(Call<JobWords.Coming, Attendance.Out> call) {
        traffic.internal().called();
        JobWords.Coming coming = call.input();
        if (!coming.isSound()) {
            return new Attendance.Out(ZoidError.EINVAL.number());
        }
        if (isStranger(call.client())) {
            return new Attendance.Out(ZoidError.EACCES.number());
        }
        ZoidProcess process = processes.come(coming.words(), call.client().displayName());
        if (process == null) {
            return new Attendance.Out(ZoidError.EAGAIN.number());
        }
        boolean entered = false;
        try {
            jobs.enter(process, coming);
            entered = true;
            plugins.processComes(process.id());
            processes.admit(process);
            closing.await();
            return new Attendance.Out(0);
        } catch (InterruptedException e) {
            return new Attendance.Out(ZoidError.ECANCELED.number());
        } catch (ZoidException e) {
            return new Attendance.Out(e.error().number());
        } finally {
            Thread.interrupted(); // what follows must be done
            goes(process, entered);
        }
    }

    /**
     * Does each step even if one before it fails, as it may in a full heap. Else neither the
     * process nor its job would ever end.
     */
    private void goes(ZoidProcess process, boolean entered) {
        try {
            disconnect(process);
        } finally {
            try {
                plugins.processGoes(process.id());
            } finally {
                try {
                    if (entered) {
                        jobs.leave(process);
                    }
                } finally {
                    processes.forget(process);
                }
            }
        }
    }

    /** Lets no call, broadcast or packet of a process come any more. */
    private void disconnect(ZoidProcess process) {
        try {
            processes.leave(process);
        } finally {
            try {
                broadcasts.forget(process);
            } finally {
                packets.forget(process.id());
            }
        }
    }

    // Whoever has a server listen on tcp knows that other users come. A gateway is another
    // program's, which the server may not know of, so its clients do not get all files.
    private boolean isStranger(PeerAddress client) {
        boolean mayHaveFiles = settings.live() || settings.modules().contains("unix");
        return client.scheme().equals("zoid")
                && !client.isOwnUser()
                && mayHaveFiles
                && !settings.plugins().containsKey("unix.root");
    }

    private Attendance.JoinOut join(Call<Attendance.JoinIn, Attendance.JoinOut> call)
            throws InterruptedException {
        traffic.internal().called();
        ZoidProcess process = processes.await(call.input().key(), settings.joinPatience());
        if (process == null) {
            return new Attendance.JoinOut(ZoidError.EAGAIN.number(), 0, 0, 0);
        }
        return new Attendance.JoinOut(
                0, process.id(), settings.limitBytes(), settings.thresholdBytes());
    }

    // ------------------------------------------------------------------ what it tells

    /**
     * What it has counted.
     *
     * @return the counters as they are now
     */
    public Statistics statistics() {
        return traffic.now();
    }

    /**
     * How many processes are connected.
     *
     * @return those whose end has not been told yet
     */
    public int processCount() {
        return processes.count();
    }

    /**
     * The plug-ins that are loaded.
     *
     * @return their names, in the order in which they were loaded
     */
    public List<String> plugins() {
        return plugins.all().stream().map(plugin -> plugin.dispatcher().name()).toList();
    }

    /**
     * Lets go of the processes: plug-ins are told of the end of each, and of each job. Calls that
     * run are abandoned. Closing twice does nothing.
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        closing.countDown();
        untell.run();
        jobs.endAll();
        long endNs = System.nanoTime() + CLOSE_PATIENCE.toNanos();
        try {
            processes.awaitNone(CLOSE_PATIENCE);
            jobs.awaitNone(Duration.ofNanos(Math.max(0, endNs - System.nanoTime())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        jobs.interruptBegins();
        server.close();
        plugins.close();
    }
}
