package org.jbmi.zbmi.host.journal;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.util.ServiceLoader;

/** Finds what keeps journals. */
public final class Journals {
    private Journals() {}

    /**
     * What keeps journals here.
     *
     * @throws BmiException with {@link ErrorCode#ENOSYS} if there is none, or it cannot be used,
     *     with a sentence that says why
     */
    public static JournalProvider require() {
        Class<JournalProvider> type = JournalProvider.class;
        JournalProvider provider =
                ServiceLoader.load(type, type.getClassLoader())
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        failure(
                                                "nothing on the class path keeps one; add"
                                                        + " zbmi-channel-chronicle"));
        provider.unavailabilityReason()
                .ifPresent(
                        why -> {
                            throw failure(why);
                        });
        return provider;
    }

    private static BmiException failure(String why) {
        return new BmiException(ErrorCode.ENOSYS, "There can be no journal: " + why + ".");
    }
}
