package org.jbmi.zoid.daemon;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.shipper.RemoteFunction;
import org.jbmi.shipper.ShippedCall;
import org.jbmi.zoid.daemon.launch.Lines;
import org.jbmi.zoid.daemon.launch.Pump;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.wire.Names;
import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs a job on this machine: tells the server, starts a process for each rank, and passes on their
 * output. Standard input goes to rank 0. When a rank fails the others are ended. For one job, by
 * one thread; {@link #stop} is for any thread.
 */
public final class JobRun implements AutoCloseable {
    private static final long GRACE_SECONDS = 5;
    private static final Duration GRACE = Duration.ofSeconds(GRACE_SECONDS);
    private static final Duration FOREVER = Duration.ofDays(10_000);

    /** Before the output is asked for again. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    /** How many signals Linux has. */
    private static final int SIGNALS = 64;

    /** The exit status of a rank that writes to where nobody reads: that of SIGPIPE. */
    private static final int BROKEN_PIPE = 128 + 13;

    /** The exit status of a job that was stopped before a rank began: that of SIGTERM. */
    private static final int STOPPED = 128 + 15;

    private final Bmi bmi;
    private final Wishes wishes;
    private final String address;
    private final PrintStream out;
    private final PrintStream err;
    private final Duration grace;
    private final ZoidAdmin admin;
    private final JobWords.Name name;
    private final LinkedBlockingQueue<Integer> ended = new LinkedBlockingQueue<>();
    private final List<Process> ranks = new ArrayList<>();
    private final List<CompletableFuture<Void>> exits = new ArrayList<>();
    private final List<Pump> pumps = new ArrayList<>();
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private volatile boolean stopped;

    /**
     * A job to be run.
     *
     * @param ranks how many processes
     * @param mode 0 for SMP, 1 for VN, 2 for DUAL; passed to the script only
     * @param command the program and its arguments
     * @param environment variables for the processes, each as {@code NAME=value}, in addition to
     *     those of this process
     * @param receive the folder for files of broadcasts; null if none are received
     */
    public record Wishes(
            int ranks,
            int mode,
            List<String> command,
            List<String> environment,
            @Nullable Path receive) {
        /** Checks and copies. */
        public Wishes {
            command = List.copyOf(command);
            environment = List.copyOf(environment);
            if (ranks < 1 || command.isEmpty()) {
                throw new IllegalArgumentException("A job has a program, and a rank or more.");
            }
        }
    }

    /**
     * Describes a run.
     *
     * @param bmi the messaging instance; it is retained until the close
     * @param address the server's address
     * @param wishes the job
     * @param out gets the standard output of the processes, whole lines at a time
     * @param err the same for standard error
     */
    public JobRun(Bmi bmi, String address, Wishes wishes, PrintStream out, PrintStream err) {
        this(bmi, address, wishes, out, err, GRACE);
    }

    /** With another patience for what ranks leave behind than the usual one. */
    JobRun(
            Bmi bmi,
            String address,
            Wishes wishes,
            PrintStream out,
            PrintStream err,
            Duration grace) {
        this.bmi = bmi;
        this.wishes = wishes;
        this.address = address;
        this.out = out;
        this.err = err;
        this.grace = grace;
        this.admin = ZoidAdmin.of(bmi, address);
        long key = new SecureRandom().nextLong();
        String number = Long.toUnsignedString(key >>> 44);
        this.name = new JobWords.Name(ProcessHandle.current().pid() + "." + number, key);
    }

    /**
     * Runs the job.
     *
     * @return 0 if all ranks ended with 0, else that of the one that failed first: its own, or 128
     *     and the number of a signal. 143 if it was stopped before a rank began
     * @throws IllegalStateException if the server does not take the job, or does not end it after
     *     ranks that all ended with 0
     * @throws IOException if the program cannot be started
     * @throws CallFailedException if there is no server of ZOID, or if it does not answer
     * @throws InterruptedException if the thread is interrupted; the ranks are ended
     */
    public int run() throws IOException, InterruptedException {
        Zoid receiver = receiver();
        try {
            return runReceiving();
        } finally {
            if (receiver != null) {
                receiver.close();
            }
        }
    }

    /**
     * A connection without a rank that exists before the script of the job, to receive broadcasts.
     */
    private @Nullable Zoid receiver() {
        Path folder = wishes.receive();
        if (folder == null) {
            return null;
        }
        Zoid receiver = Zoid.builder(bmi).launch(Launch.NONE).connect(address);
        try {
            receiver.receiveBroadcasts(folder);
        } catch (RuntimeException | Error e) {
            receiver.close();
            throw e;
        }
        return receiver;
    }

    private int runReceiving() throws IOException, InterruptedException {
        ShippedCall<JobWords.Out> job =
                launching()
                        .withDeadline(Duration.ZERO)
                        .forward(
                                admin.server(),
                                new JobWords.In(
                                        name.job(),
                                        name.key(),
                                        wishes.ranks(),
                                        wishes.mode(),
                                        wishes.command().getFirst(),
                                        wishes.command().subList(1, wishes.command().size()),
                                        wishes.environment()));
        Thread output = null;
        try {
            if (!start(job)) {
                return STOPPED;
            }
            output = Thread.ofVirtual().name("zoid-output").start(this::fetchOutput);
            int status;
            try {
                startRanks();
                status = ranks.isEmpty() ? STOPPED : awaitRanks();
            } finally {
                endRanks();
            }
            if (end(status)) {
                output.join(); // ends when it has the last output of plug-ins
            }
            return status;
        } finally {
            job.cancel();
            if (output != null) {
                output.join(TimeUnit.SECONDS.toMillis(GRACE_SECONDS));
            }
        }
    }

    /** Waits until the server has begun the job; false if that is not wanted any more. */
    private boolean start(ShippedCall<JobWords.Out> job) throws InterruptedException {
        ShippedCall<JobWords.Answer> begun = tell(Names.JOB_START);
        await(CompletableFuture.anyOf(begun.future(), job.future(), left));
        if (left.isDone()) {
            begun.cancel();
            return false;
        }
        if (job.isDone() && job.await(Duration.ZERO).error() != 0) {
            begun.cancel();
            throw new IllegalStateException(job.await(Duration.ZERO).refusal());
        }
        check(begun.await(FOREVER));
        return true;
    }

    /**
     * Tells the server that all ranks have ended, and waits for its script. After a stop it does
     * not wait.
     *
     * @return whether the server has ended the job
     * @throws IllegalStateException if the server cannot end it and the status is 0
     */
    private boolean end(int status) throws InterruptedException {
        try {
            ShippedCall<JobWords.Answer> ended = tell(Names.JOB_END);
            await(
                    CompletableFuture.anyOf(
                            ended.future(),
                            left.thenRunAsync(
                                    () -> {},
                                    CompletableFuture.delayedExecutor(
                                            GRACE_SECONDS, TimeUnit.SECONDS))));
            if (ended.isDone()) {
                check(ended.await(Duration.ZERO));
                return true;
            }
            ended.cancel();
        } catch (BmiException | IllegalStateException e) {
            if (status == 0) {
                throw e;
            }
            err.println("zoid run: the server did not end the job: " + why(e));
        }
        return false;
    }

    private static void await(CompletableFuture<?> any) throws InterruptedException {
        try {
            any.get();
        } catch (ExecutionException e) {
            // A failed call is asked for its outcome later.
        }
    }

    private RemoteFunction<JobWords.In, JobWords.Out> launching() {
        return admin.shipper()
                .function(
                        Names.JOB,
                        JobWords_InCodec.INSTANCE,
                        JobWords_OutCodec.INSTANCE,
                        JobWords.Out.class);
    }

    /** Without a deadline: a script may take long, and a user who does not wait stops the run. */
    private ShippedCall<JobWords.Answer> tell(String function) {
        return admin.shipper()
                .function(
                        function,
                        JobWords_NameCodec.INSTANCE,
                        JobWords_AnswerCodec.INSTANCE,
                        JobWords.Answer.class)
                .withDeadline(Duration.ZERO)
                .forward(admin.server(), name);
    }

    private static void check(JobWords.Answer answer) {
        if (answer.error() != 0) {
            throw new IllegalStateException(answer.text());
        }
    }

    private synchronized void startRanks() throws IOException {
        for (int rank = 0; rank < wishes.ranks() && !stopped; rank++) {
            ProcessBuilder builder =
                    new ProcessBuilder(wishes.command())
                            .redirectInput(
                                    rank == 0
                                            ? Redirect.INHERIT
                                            : Redirect.from(new File("/dev/null")));
            builder.environment().put("ZOID_RANK", Integer.toString(rank));
            builder.environment().put("ZOID_SIZE", Integer.toString(wishes.ranks()));
            builder.environment().put("ZOID_JOB", name.job());
            builder.environment().put("ZOID_ADDRESS", address);
            for (String variable : wishes.environment()) {
                int equals = variable.indexOf('=');
                builder.environment()
                        .put(variable.substring(0, equals), variable.substring(equals + 1));
            }
            Process process = builder.start();
            ranks.add(process);
            pumps.add(new Pump(process.getInputStream(), out));
            pumps.add(new Pump(process.getErrorStream(), err));
            int number = rank;
            exits.add(process.onExit().thenRun(() -> ended.add(number)));
        }
    }

    private int awaitRanks() throws InterruptedException {
        int status = 0;
        boolean unread = false;
        for (int left = ranks.size(); left > 0; left--) {
            int rank = ended.take();
            int own = ranks.get(rank).exitValue();
            if (own == BROKEN_PIPE && status == 0 && pumps.get(2 * rank).isLost()) {
                unread = true; // status 0, as with other commands whose reader has gone
                endRanks(); // others may wait for this one
            }
            if (own != 0 && status == 0 && !unread) {
                status = own;
                if (!stopped) {
                    err.println("zoid run: rank " + rank + " " + words(own) + "; the job ends.");
                }
                endRanks();
            }
        }
        joinPumps(grace); // children may keep them open
        // A pump also waits just before it sees the end of its pipe, so only two looks in a row
        // count.
        for (int quiet = 0; quiet < 2 && !this.left.isDone(); ) {
            joinPumps(PAUSE);
            quiet = pumps.stream().anyMatch(Pump::delivers) ? 0 : quiet + 1;
        }
        if (!this.left.isDone()) { // the flush waits for who takes the output
            out.flush();
            err.flush();
        }
        return status;
    }

    private void joinPumps(Duration patience) throws InterruptedException {
        long endNs = System.nanoTime() + patience.toNanos();
        for (Pump pump : pumps) {
            pump.join(Duration.ofNanos(endNs - System.nanoTime()));
        }
    }

    private static String words(int status) {
        return status > 128 && status <= 128 + SIGNALS
                ? "was killed by signal " + (status - 128)
                : "ended with status " + status;
    }

    /**
     * Ends the job before its time: the ranks that still run get SIGTERM, and after some seconds
     * SIGKILL. It does not wait for a script of the server.
     */
    public void stop() {
        left.complete(null);
        endRanks();
    }

    private void endRanks() {
        List<Process> all;
        stopped = true; // before the lock: ends a start of ranks, which has it
        synchronized (this) {
            all = List.copyOf(ranks);
        }
        all.forEach(Process::destroy);
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(GRACE_SECONDS);
        try {
            for (Process process : all) {
                if (!process.waitFor(endNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    process.destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            all.forEach(Process::destroyForcibly);
            Thread.currentThread().interrupt();
        }
    }

    /** Fetches the output of plug-ins for the job, until the job is over. */
    private void fetchOutput() {
        Lines stdout = new Lines(out);
        Lines stderr = new Lines(err);
        var output =
                admin.shipper()
                        .function(
                                Names.OUTPUT,
                                JobWords_FetchCodec.INSTANCE,
                                JobWords_PiecesCodec.INSTANCE,
                                JobWords.Pieces.class)
                        .withDeadline(Duration.ZERO);
        try {
            long taken = 0;
            List<JobWords.Piece> pieces = fetch(output, taken);
            while (!pieces.isEmpty()) {
                for (JobWords.Piece piece : pieces) {
                    (piece.stream() == 1 ? stdout : stderr)
                            .write(piece.text(), piece.text().length);
                }
                taken++;
                pieces = fetch(output, taken);
            }
        } catch (RuntimeException | InterruptedException | Error e) { // a full heap, for example
            try {
                err.println("zoid run: the output of plug-ins is lost: " + why(e));
            } finally {
                giveUp(output);
            }
        } finally {
            stdout.flush();
            stderr.flush();
        }
    }

    /** Asks again after a failure that passes: the server still has the output. */
    private List<JobWords.Piece> fetch(
            RemoteFunction<JobWords.Fetch, JobWords.Pieces> output, long taken)
            throws InterruptedException {
        JobWords.Fetch wish = new JobWords.Fetch(name.job(), name.key(), taken);
        while (true) {
            try {
                return output.forward(admin.server(), wish).await(FOREVER).pieces();
            } catch (CallFailedException e) {
                if (left.isDone() || !passes(e)) {
                    throw e;
                }
            }
            Thread.sleep(PAUSE);
        }
    }

    private static @Nullable String why(Throwable e) {
        return e instanceof CallFailedException failed ? failed.why() : e.getMessage();
    }

    private static boolean passes(CallFailedException e) {
        return switch (e.code()) {
            case ETRYAGAIN, ENOMEM -> true;
            case ETIMEDOUT -> e.isRemote(); // this program was stopped for a while, for example
            default -> false;
        };
    }

    /** Tells the server that nobody fetches any more, so that no function waits to write. */
    private void giveUp(RemoteFunction<JobWords.Fetch, JobWords.Pieces> output) {
        try {
            fetch(output, JobWords.Fetch.NO_MORE);
        } catch (BmiException e) {
            // The server has gone, or hears in another way that the launcher goes.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
