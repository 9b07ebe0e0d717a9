package org.jbmi.zoid.daemon.plugin;

import org.jbmi.zoid.forward.JobDescription;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.stub.PluginDispatcher;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * The plug-ins of a server: loaded when it starts, or later, and unloaded. Each is told once of the
 * beginning and the end of every job and of every process, including those that existed before it.
 * Safe for use by any thread.
 */
public final class Plugins {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long RETRY_MS = 2;

    private final Iterable<PluginProvider> providers;
    private final Function<Map<String, String>, PluginServices> services;
    private final IntConsumer counts;
    private final Consumer<String> log;

    /** One load or unload at a time. */
    private final ReentrantLock changing = new ReentrantLock();

    /**
     * Read lock: a thread calls plug-ins. Write lock: the set of plug-ins changes, and no thread
     * does.
     */
    private final ReentrantReadWriteLock telling = new ReentrantReadWriteLock();

    private final List<LoadedPlugin> loaded = new CopyOnWriteArrayList<>();
    private final Map<Integer, LoadedPlugin> byId = new ConcurrentHashMap<>();
    private final Set<Integer> processes = ConcurrentHashMap.newKeySet();
    private final Map<String, JobDescription> jobs = new ConcurrentHashMap<>();

    /**
     * Makes an empty set of plug-ins.
     *
     * @param providers those of the class path
     * @param services makes the services of a plug-in, from its settings and those of the server
     * @param counts gets the number of each plug-in before its first call
     * @param log gets a text for each failure
     */
    public Plugins(
            Iterable<PluginProvider> providers,
            Function<Map<String, String>, PluginServices> services,
            IntConsumer counts,
            Consumer<String> log) {
        this.providers = providers;
        this.services = services;
        this.counts = counts;
        this.log = log;
    }

    /**
     * The plug-in of a number.
     *
     * @return the plug-in; null if there is none
     */
    public @Nullable LoadedPlugin find(int id) {
        return byId.get(id);
    }

    /**
     * All that are loaded.
     *
     * @return in the order in which they were loaded
     */
    public List<LoadedPlugin> all() {
        return List.copyOf(loaded);
    }

    // ------------------------------------------------------------------ at the start

    /**
     * Loads plug-ins of the class path. One that is not there is logged.
     *
     * @param names their names, in order
     * @throws IllegalArgumentException if two have one number, if a setting is wrong, or if one
     *     cannot be opened
     */
    public void loadAll(List<String> names) {
        for (String name : names) {
            Found found;
            try {
                found = Found.among(providers, name);
            } catch (IllegalArgumentException e) {
                log.accept(
                        Objects.requireNonNull(e.getMessage())
                                .replace(
                                        "'. There are",
                                        "': its calls fail with ENOSYS. There are"));
                continue;
            }
            try {
                keep(open(found, Map.of()));
            } catch (LinkageError | Exception e) {
                throw failure("The plug-in " + name, e);
            }
        }
    }

    /**
     * Says why a plug-in is not loaded: its own words, if it has said them as it should.
     *
     * @param what begins the sentence: which plug-in
     * @param e what was thrown
     * @return an exception to be thrown, with that sentence
     */
    public static IllegalArgumentException failure(String what, Throwable e) {
        // Subclasses are mostly the JDK's, such as NumberFormatException, and name no plug-in.
        boolean isReason =
                e.getClass() == IllegalArgumentException.class
                        || e.getClass() == IllegalStateException.class;
        String reason = isReason ? e.getMessage() : null;
        return new IllegalArgumentException(
                reason == null || reason.isEmpty() ? what + " cannot be loaded: " + e : reason, e);
    }

    private LoadedPlugin open(Found found, Map<String, String> settings) {
        PluginDispatcher dispatcher = found.provider().open(services.apply(settings));
        try {
            LoadedPlugin plugin = new LoadedPlugin(dispatcher, found.origin(), found.code(), log);
            LoadedPlugin other = byId.get(dispatcher.id());
            if (other != null) {
                throw new IllegalStateException(
                        "The plug-ins %s and %s both have the number %d."
                                .formatted(
                                        other.dispatcher().name(),
                                        dispatcher.name(),
                                        dispatcher.id()));
            }
            return plugin;
        } catch (Exception | Error e) {
            refused(dispatcher);
            throw e;
        }
    }

    /** Tells a plug-in that was opened, and is not loaded. */
    private void refused(PluginDispatcher dispatcher) {
        try {
            dispatcher.plugin().unloaded();
        } catch (Exception | Error e) { // it is told after another failure
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            log.accept("A plug-in that was not loaded failed in unloaded: " + e);
        }
    }

    private void keep(LoadedPlugin plugin) {
        Integer id = plugin.dispatcher().id();
        counts.accept(id);
        byId.put(id, plugin);
        try {
            loaded.add(plugin);
        } catch (RuntimeException | Error e) { // a full heap, for example
            byId.remove(id, plugin);
            throw e;
        }
    }

    /** Tells all plug-ins that no call follows. Nothing is loaded after that. */
    public void close() {
        loaded.forEach(LoadedPlugin::unloaded);
    }

    // ------------------------------------------------------------------ while it runs

    /**
     * Loads a plug-in while the server runs. It is told of the present jobs and processes.
     *
     * @param name its name
     * @param file the jar or folder with its classes; empty for the class path
     * @param settings its settings, besides those of the server
     * @throws IllegalArgumentException if that fails; the message says why
     * @throws InterruptedException if the thread is interrupted; then nothing is loaded
     */
    public void load(String name, String file, Map<String, String> settings)
            throws InterruptedException {
        changing.lockInterruptibly();
        try {
            if (loaded.stream().anyMatch(each -> each.dispatcher().name().equals(name))) {
                throw new IllegalArgumentException("The plug-in " + name + " is loaded already.");
            }
            Found found =
                    file.isEmpty() ? Found.among(providers, name) : Found.in(path(file), name);
            LoadedPlugin plugin = null;
            try {
                checkSettings(found.provider(), settings);
                plugin = open(found, settings);
                introduce(plugin);
            } catch (Exception | Error e) {
                if (plugin != null) {
                    plugin.unloaded();
                }
                found.drop();
                throw e;
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (ServiceConfigurationError | LinkageError | Exception e) {
            throw failure("The plug-in", e);
        } finally {
            changing.unlock();
        }
    }

    private static Path path(String file) {
        Path path = Path.of(file);
        if (!path.isAbsolute()) {
            throw new IllegalArgumentException("The file of a plug-in is an absolute path.");
        }
        return path;
    }

    private static void checkSettings(PluginProvider provider, Map<String, String> settings) {
        for (String name : settings.keySet()) {
            if (!provider.settings().contains(name)) {
                throw new IllegalArgumentException(
                        "The plug-in %s has no setting '%s'.".formatted(provider.name(), name));
            }
        }
    }

    private void introduce(LoadedPlugin plugin) throws InterruptedException {
        lockAlone();
        try {
            for (JobDescription job : jobs.values()) {
                plugin.tell("init", lifecycle -> lifecycle.init(job));
            }
            for (int process : processes) {
                plugin.tell("proc", lifecycle -> lifecycle.proc(true, process));
            }
            keep(plugin);
        } finally {
            telling.writeLock().unlock();
        }
    }

    /**
     * Without a place in the lock's queue, so that a thread that calls plug-ins does not wait for a
     * waiting writer.
     */
    private void lockAlone() throws InterruptedException {
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (!telling.writeLock().tryLock()) {
            if (System.nanoTime() > endNs) {
                throw new IllegalStateException(
                        "A plug-in that is told of a process or a job has not come back for "
                                + PATIENCE.toSeconds()
                                + " s.");
            }
            TimeUnit.MILLISECONDS.sleep(RETRY_MS);
        }
    }

    /**
     * Unloads a plug-in while the server runs. From now on its calls fail with ENOSYS. It is told
     * of the end of each process and each job when its running calls have ended.
     *
     * @return how many of its calls still run after some seconds: it is unloaded when they have
     *     ended
     * @throws IllegalArgumentException if there is no such plug-in
     * @throws InterruptedException if the thread is interrupted; the plug-in is unloaded even so,
     *     if it takes no calls any more
     */
    public int unload(String name) throws InterruptedException {
        changing.lockInterruptibly();
        try {
            LoadedPlugin plugin =
                    loaded.stream()
                            .filter(each -> each.dispatcher().name().equals(name))
                            .findFirst()
                            .orElseThrow(
                                    () ->
                                            new IllegalArgumentException(
                                                    "The plug-in '%s' is not loaded."
                                                            .formatted(name)));
            Runnable goodbye = remove(plugin);
            Thread end;
            try {
                end = Thread.ofVirtual().name("zoid-unload").start(() -> end(plugin, goodbye));
            } catch (OutOfMemoryError e) {
                end(plugin, goodbye); // else it would never be told
                return 0;
            }
            if (plugin.awaitUnused(PATIENCE)) {
                end.join();
                return 0;
            }
            return Math.max(1, plugin.left());
        } catch (IllegalStateException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        } finally {
            changing.unlock();
        }
    }

    /**
     * Returns the action for the end of its last call; no other thread calls the plug-in from now
     * on.
     */
    private Runnable remove(LoadedPlugin plugin) throws InterruptedException {
        lockAlone();
        try {
            // In a full heap either nothing happens, or all of it: what needs memory comes first.
            Integer id = plugin.dispatcher().id();
            List<Integer> known = List.copyOf(processes);
            List<String> running = List.copyOf(jobs.keySet());
            Runnable goodbye =
                    () -> {
                        for (int process : known) {
                            plugin.tell("proc", lifecycle -> lifecycle.proc(false, process));
                        }
                        for (String job : running) {
                            endJob(plugin, job);
                        }
                    };
            loaded.remove(plugin);
            byId.remove(id, plugin);
            plugin.retire();
            return goodbye;
        } finally {
            telling.writeLock().unlock();
        }
    }

    private static void end(LoadedPlugin plugin, Runnable goodbye) {
        plugin.awaitUnused();
        try {
            goodbye.run();
        } finally {
            plugin.unloaded();
        }
    }

    // ------------------------------------------------------------------ their lifecycle

    /** A job begins. */
    public void jobBegins(String name, JobDescription job) {
        Lock lock = telling.readLock();
        lock.lock();
        try {
            jobs.put(name, job);
            loaded.forEach(plugin -> plugin.tell("init", lifecycle -> lifecycle.init(job)));
        } finally {
            lock.unlock();
        }
    }

    /** A job has ended. */
    public void jobEnds(String name) {
        Lock lock = telling.readLock();
        lock.lock();
        try {
            if (jobs.remove(name) != null) {
                loaded.forEach(plugin -> endJob(plugin, name));
            }
        } finally {
            lock.unlock();
        }
    }

    private static void endJob(LoadedPlugin plugin, String job) {
        plugin.tell("fini", lifecycle -> lifecycle.fini());
        plugin.tell("jobEnded", lifecycle -> lifecycle.jobEnded(job));
    }

    /** A process has come; {@link #processGoes} follows even if this fails, in a full heap. */
    public void processComes(int process) {
        tell(true, process);
    }

    /** A process has gone; does nothing for one that had not come. */
    public void processGoes(int process) {
        tell(false, process);
    }

    private void tell(boolean added, int process) {
        Lock lock = telling.readLock();
        lock.lock();
        try {
            if (added ? processes.add(process) : processes.remove(process)) {
                loaded.forEach(
                        plugin -> plugin.tell("proc", lifecycle -> lifecycle.proc(added, process)));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Splits settings.
     *
     * @throws IllegalArgumentException for a word that is none
     */
    public static Map<String, String> settings(List<String> words) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("A setting is NAME=VALUE, not " + word + ".");
            }
            settings.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return settings;
    }
}
