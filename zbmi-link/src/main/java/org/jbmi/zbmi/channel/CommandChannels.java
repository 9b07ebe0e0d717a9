package org.jbmi.zbmi.channel;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The kinds of command channel on the class path. */
public final class CommandChannels {
    private CommandChannels() {}

    /**
     * All that are found, available or not.
     *
     * @return in the order of the class path
     */
    public static List<CommandChannelProvider> all() {
        Class<CommandChannelProvider> type = CommandChannelProvider.class;
        return all(ServiceLoader.load(type, type.getClassLoader()));
    }

    /**
     * All of a kind that are found, available or not.
     *
     * @param <P> the kind
     * @param providers a loader that the caller made, since a module loads only what it uses
     * @return in the order of the class path
     * @throws BmiException with {@link ErrorCode#ENOSYS} if one of them cannot be made, for example
     *     because a library that it needs is not on the class path
     */
    public static <P extends CommandChannelProvider> List<P> all(ServiceLoader<P> providers) {
        List<P> found = new ArrayList<>();
        try {
            providers.forEach(found::add);
        } catch (ServiceConfigurationError e) {
            Throwable cause = e.getCause(); // a class that is missing, for example
            String why = cause == null ? "" : " (" + cause + ")";
            throw new BmiException(
                    ErrorCode.ENOSYS,
                    "A command channel cannot be made: %s%s.".formatted(e.getMessage(), why),
                    e);
        }
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
        return require(all(), name);
    }

    /**
     * One of some by its name.
     *
     * @param <P> what each of them makes
     * @param all among which it is
     * @param name as {@link CommandChannelProvider#name} has it
     * @return one that can be opened here
     * @throws BmiException as {@link #require(String)} has it
     */
    public static <P extends CommandChannelProvider> P require(List<P> all, String name) {
        List<String> names = new ArrayList<>();
        for (P provider : all) {
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
}
