package org.jbmi.zbmi.host.port;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.DeadSegment;
import org.jbmi.zbmi.channel.CommandChannels;

import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;

/** The kinds of command channel on the class path that can end at an engine in this process. */
public final class CommandPorts {
    /** The daemon's setting that lets the server choose. */
    public static final String ANY = "any";

    private CommandPorts() {}

    /**
     * All that are found, available or not.
     *
     * @return in the order of the class path
     * @throws BmiException with {@link ErrorCode#ENOSYS} if one of them cannot be made
     */
    public static List<CommandPortProvider> all() {
        Class<CommandPortProvider> type = CommandPortProvider.class;
        return CommandChannels.all(ServiceLoader.load(type, type.getClassLoader()));
    }

    /**
     * One by its name.
     *
     * @param name as {@link CommandPortProvider#name} has it
     * @throws BmiException with {@link ErrorCode#EPROTONOSUPPORT} if there is none of that name,
     *     {@link ErrorCode#ENOSYS} if it cannot be opened here
     */
    public static CommandPortProvider require(String name) {
        return CommandChannels.require(all(), name);
    }

    /**
     * Finds the channel that a server asks its daemon for.
     *
     * @param allowed the only one that the daemon takes, or {@link #ANY}
     * @param name what the server asks for
     * @throws BmiException as {@link #require(String)} has it, with a sentence for the server
     */
    public static CommandPortProvider require(String allowed, String name) {
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

    /**
     * Removes the files of channels whose segment is gone.
     *
     * @param prefix with which the names of segments start
     */
    public static void sweep(Path segmentDirectory, String prefix) {
        all().forEach(provider -> provider.sweep(segmentDirectory, prefix));
    }
}
