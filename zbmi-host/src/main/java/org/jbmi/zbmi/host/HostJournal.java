package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.FileFailure;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.host.journal.EngineJournal;
import org.jbmi.zbmi.host.journal.EngineRecording;
import org.jbmi.zbmi.host.journal.Journals;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.protocol.ServerOutput;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/** Adds a journal to a host's engine, if the knob asks for one. */
final class HostJournal {
    private HostJournal() {}

    /**
     * Begins the journal.
     *
     * @return null if there is to be none
     * @throws BmiException if there is to be one and it cannot be made
     */
    static @Nullable EngineRecording open(HostLayout layout, HostContext context) {
        if (layout.journal().isEmpty()) {
            return null;
        }
        EngineJournal journal;
        try {
            journal = Journals.require().create(Path.of(layout.journal()));
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO,
                    "%s: %s.".formatted(HostKnobs.JOURNAL.name(), FileFailure.reason(e)),
                    e);
        }
        return new EngineRecording(
                journal,
                context.clock(),
                layout.limits(),
                layout.journalBytes(),
                context.errors()::record);
    }

    /**
     * An engine, with the recording around it if there is one.
     *
     * @param ownServer a server in this process; null if it is elsewhere
     */
    static Engine engine(
            HostLayout layout,
            EngineHost host,
            @Nullable ServerOutput ownServer,
            EnginePayload payload,
            @Nullable EngineRecording recording) {
        if (recording == null) {
            return new Engine(layout.limits(), host, ownServer, payload, null);
        }
        return new Engine(
                layout.limits(),
                recording.host(host, ownServer),
                null,
                recording.payload(payload),
                recording);
    }
}
