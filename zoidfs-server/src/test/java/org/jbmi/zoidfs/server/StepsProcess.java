package org.jbmi.zoidfs.server;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** A client in a process of its own, which takes the steps that it is told and can be killed. */
final class StepsProcess implements AutoCloseable {
    /** Ends an answer that was written whole. */
    private static final String WHOLE = " .";

    private static final String OK = "ok ";
    private static final String UNANSWERED = "unanswered" + WHOLE;

    private final Process process;
    private final BufferedWriter in;
    private final BufferedReader out;

    private StepsProcess(Process process) {
        this.process = process;
        this.in = process.outputWriter();
        this.out = process.inputReader();
    }

    static StepsProcess start(String address, long chunkBytes) throws IOException {
        return new StepsProcess(
                new ProcessBuilder(
                                ServerProcess.command(
                                        StepsProcess.class, address, Long.toString(chunkBytes)))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
    }

    /** Lets it begin a step, which {@link #await} waits for. */
    void begin(Step step) throws IOException {
        in.write(step.line());
        in.newLine();
        in.flush();
    }

    /** What came of the step; no answer if the process was killed before it had written one. */
    Step.Taken await() throws IOException {
        String line = out.readLine();
        if (line == null || !line.endsWith(WHOLE)) {
            if (process.isAlive()) {
                throw new IOException("The client's process said " + line);
            }
            return Step.Taken.UNANSWERED;
        }
        if (line.equals(UNANSWERED)) {
            return Step.Taken.UNANSWERED;
        }
        String value = line.substring(OK.length(), line.length() - WHOLE.length());
        return new Step.Taken(true, Long.parseLong(value));
    }

    /** What it has written can be read afterwards. */
    void kill() {
        // By its handle: destroying a Process closes its streams, and the last line is lost.
        process.toHandle().destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    /** The server's address and the length of chunks; takes steps until its input ends. */
    public static void main(String[] arguments) throws IOException {
        ClientOptions options =
                ClientOptions.DEFAULT
                        .withDialect(Dialect.SFP)
                        .withChunkBytes(Long.parseLong(arguments[1]));
        try (Bmi bmi = Bmi.open();
                ZoidfsClient client = ZoidfsClient.connect(bmi, arguments[0], options);
                BufferedReader steps =
                        new BufferedReader(
                                new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Stepper stepper = new Stepper(client);
            for (String line = steps.readLine(); line != null; line = steps.readLine()) {
                Step.Taken taken = stepper.take(Step.parse(line));
                System.out.println(taken.answered() ? OK + taken.value() + WHOLE : UNANSWERED);
            }
        }
    }
}
