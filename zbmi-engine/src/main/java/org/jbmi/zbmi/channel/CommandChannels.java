package org.jbmi.zbmi.channel;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.DeadSegment;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The kinds of command channel on the class path. */
public final class CommandChannels {
    /** The daemon's setting that lets the server choose. */
    public static final String ANY = "any";

    private CommandChannels() {}

    /**
     * All that are found, available or not.
     *
     * @return in the order of the class path
     */
    public static List<CommandChannelProvider> all() {
        List<CommandChannelProvider> found = new ArrayList<>();
        Class<CommandChannelProvider> type = CommandChannelProvider.class;
        ServiceLoader.load(type, type.getClassLoader()).forEach(found::add);
        return found;
    }

    /**
     * One by its name.
     *
     * @param name as {@link CommandChannelProvider#name} has it
     * @return one that can be opened here
     * @throws BmiException with {@link ErrorCode#EPROTONOSUPPORT} if there is none of that name,
     *     {@link ErrorCode#ENOSYS} if it cannot be opened here
     */
    public static CommandChannelProvider require(String name) {
        List<String> names = new ArrayList<>();
        for (CommandChannelProvider provider : all()) {
            if (provider.name().equals(name)) {
                requireAvailable(provider);
                return provider;
            }
            names.add(provider.name());
        }
        throw new BmiException(
                ErrorCode.EPROTONOSUPPORT,
                "There is no command channel \"%s\"; there are %s."
                        .formatted(name, String.join(", ", names)));
    }

    private static void requireAvailable(CommandChannelProvider provider) {
        provider.unavailabilityReason()
                .ifPresent(
                        why -> {
                            throw new BmiException(
                                    ErrorCode.ENOSYS,
                                    "The command channel %s is not available: %s."
                                            .formatted(provider.name(), why));
                        });
    }

    /**
     * Finds the channel that a server asks its daemon for.
     *
     * @param allowed the only one that the daemon takes, or {@link #ANY}
     * @param name what the server asks for
     * @return one that can be opened here
     * @throws BmiException as {@link #require} has it, with a sentence for the server
     */
    public static CommandChannelProvider require(String allowed, String name) {
        if (!allowed.equals(ANY) && !allowed.equals(name)) {
            throw new BmiException(
                    ErrorCode.EPROTONOSUPPORT,
                    "This daemon takes commands over %s alone, and not over %s: set %s=%s."
                            .formatted(allowed, name, "zoid.commandChannel", allowed));
        }
        return require(name);
    }

    /**
     * Removes files and queues of a dead daemon's channels outside of its segment.
     *
     * @param dead whose owner has ended
     */
    public static void sweep(DeadSegment dead) {
        all().forEach(provider -> provider.sweep(dead));
    }
}
