package org.jbmi.zoid;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.channel.EngineHostProvider;

import java.util.Optional;
import java.util.ServiceLoader;

/** Finds what hosts an engine in the process of its server. Clients need none. */
final class EngineHosts {
    private EngineHosts() {}

    /** What hosts an engine here, if there is anything that does. */
    static Optional<EngineHostProvider> find() {
        Class<EngineHostProvider> type = EngineHostProvider.class;
        return ServiceLoader.load(type, type.getClassLoader()).findFirst();
    }

    /**
     * What hosts an engine here.
     *
     * @throws BmiException with {@link ErrorCode#ENOSYS} if nothing does, with a sentence that says
     *     what to do
     */
    static EngineHostProvider require() {
        return find().orElseThrow(
                        () ->
                                new BmiException(
                                        ErrorCode.ENOSYS,
                                        "This server cannot host an engine: add zbmi-host to its"
                                                + " path, or set %s=%s."
                                                        .formatted(
                                                                ZoidKnobs.HOST.name(),
                                                                ZoidKnobs.DAEMON)));
    }
}
