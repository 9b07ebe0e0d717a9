package org.jbmi.demo;

import org.jbmi.demo.worker.Worker;
import org.jbmi.demo.worker.WorkerCommand;
import org.jbmi.demo.worker.WorkerEvent;
import org.jspecify.annotations.Nullable;

/** The state of one client. Used by one thread. */
final class ClientRun {
    /** The steps of a client, in order; {@link #LOST} can come at any time. */
    enum Step {
        STARTING,
        READY,
        WRITING,
        WRITTEN,
        READING,
        DONE,
        LOST
    }

    private final int number;
    private final Worker worker;
    private Step step = Step.STARTING;
    private long doneBytes;
    private long writeNs;
    private long readNs;
    private String digest = "";
    private String problem = "";

    ClientRun(int number, Worker worker) {
        this.number = number;
        this.worker = worker;
    }

    int number() {
        return number;
    }

    Worker worker() {
        return worker;
    }

    String name() {
        return worker.name();
    }

    Step step() {
        return step;
    }

    long doneBytes() {
        return doneBytes;
    }

    long writeNs() {
        return writeNs;
    }

    long readNs() {
        return readNs;
    }

    String problem() {
        return problem;
    }

    boolean isLost() {
        return step == Step.LOST;
    }

    boolean isVerified(@Nullable String expectedDigest) {
        return step == Step.DONE && digest.equals(expectedDigest);
    }

    /** Sends the client its next command. */
    void begin(WorkerCommand command) {
        step = command == WorkerCommand.WRITE ? Step.WRITING : Step.READING;
        doneBytes = 0;
        worker.command(command);
    }

    /** Marks the client as lost. The first reason counts. */
    void lose(String reason) {
        if (step == Step.LOST) {
            return;
        }
        String when =
                switch (step) {
                    case WRITING -> " while it wrote";
                    case READING -> " while it read back";
                    default -> "";
                };
        problem = reason + when;
        step = Step.LOST;
    }

    /** Takes an event. */
    void heard(WorkerEvent event) {
        switch (event.kind()) {
            case READY -> move(Step.STARTING, Step.READY, event);
            case PROGRESS -> doneBytes = event.bytes();
            case WROTE -> {
                writeNs = event.nanos();
                move(Step.WRITING, Step.WRITTEN, event);
            }
            case READ -> {
                readNs = event.nanos();
                digest = event.text();
                move(Step.READING, Step.DONE, event);
            }
            case FAILED -> lose("failed: " + withoutStop(event.text()));
            case ENDED -> lose(event.text());
            case NOTED, SAID -> {}
        }
    }

    private void move(Step from, Step to, WorkerEvent event) {
        if (step == from) {
            step = to;
            doneBytes = event.bytes();
        }
    }

    private static String withoutStop(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }
}
