package org.jbmi.zoid.daemon;

import org.jbmi.shipper.Call;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.forward.wire.Names;

import java.time.Duration;
import java.util.List;

/** The functions by which launchers begin jobs, fetch their output, and end them. */
final class JobService {
    private static final int EXISTS = 17;
    private static final int NO_SUCH = 2;
    private static final int FAILED = 5;
    private static final int INVALID = 22;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Jobs jobs;
    private final Traffic traffic;

    JobService(Jobs jobs, Traffic traffic) {
        this.jobs = jobs;
        this.traffic = traffic;
    }

    void register(ShipperServer server) {
        server.register(
                Names.JOB, JobWords_InCodec.INSTANCE, JobWords_OutCodec.INSTANCE, this::launch);
        server.register(
                Names.JOB_START,
                JobWords_NameCodec.INSTANCE,
                JobWords_AnswerCodec.INSTANCE,
                this::start);
        server.register(
                Names.JOB_END,
                JobWords_NameCodec.INSTANCE,
                JobWords_AnswerCodec.INSTANCE,
                this::end);
        server.register(
                Names.OUTPUT,
                JobWords_FetchCodec.INSTANCE,
                JobWords_PiecesCodec.INSTANCE,
                this::output);
    }

    /**
     * Runs until the launcher has the last of the output: its thread is interrupted when the
     * launcher has gone.
     */
    private JobWords.Out launch(Call<JobWords.In, JobWords.Out> call) {
        traffic.internal().called();
        if (!call.input().isSound()) {
            return new JobWords.Out(INVALID);
        }
        Job job;
        try {
            job = jobs.launch(call.input());
        } catch (ZoidException e) {
            return new JobWords.Out(e.error().number());
        }
        if (job == null) {
            return new JobWords.Out(EXISTS);
        }
        try {
            job.fetched.await();
        } catch (InterruptedException e) {
            // The launcher has gone. The flag is cleared here, so that the next steps run to their
            // end.
        } finally {
            jobs.launcherGone(job);
        }
        return new JobWords.Out(0);
    }

    private JobWords.Answer start(Call<JobWords.Name, JobWords.Answer> call)
            throws InterruptedException {
        traffic.internal().called();
        Job job = jobs.await(call.input(), PATIENCE);
        if (job == null) {
            return new JobWords.Answer(
                    NO_SUCH,
                    "The server has not taken the job: there is another one of its name, or"
                            + " something in its words cannot be.");
        }
        job.begun.await();
        Throwable failure = job.failure;
        return failure == null
                ? new JobWords.Answer(0, "")
                : new JobWords.Answer(
                        FAILED,
                        Forwarding.shortened("The server could not begin the job: " + failure));
    }

    private JobWords.Answer end(Call<JobWords.Name, JobWords.Answer> call)
            throws InterruptedException {
        traffic.internal().called();
        Job job = jobs.await(call.input(), Duration.ZERO);
        if (job == null) {
            return new JobWords.Answer(NO_SUCH, "There is no such job.");
        }
        jobs.end(job);
        job.ended.await();
        return new JobWords.Answer(0, "");
    }

    private JobWords.Pieces output(Call<JobWords.Fetch, JobWords.Pieces> call)
            throws InterruptedException {
        JobWords.Fetch fetch = call.input();
        Job job = jobs.await(fetch.name(), Duration.ZERO);
        if (job == null) {
            return new JobWords.Pieces(List.of());
        }
        if (fetch.taken() == JobWords.Fetch.NO_MORE) {
            job.output.close(); // the job goes on, and nobody who writes waits
            return new JobWords.Pieces(List.of());
        }
        List<JobWords.Piece> pieces = job.output.fetch(fetch.taken());
        if (pieces.isEmpty()) {
            job.fetched.countDown();
        }
        for (JobWords.Piece piece : pieces) {
            traffic.stream().sent(piece.text().length);
        }
        return new JobWords.Pieces(pieces);
    }
}
