package org.jbmi.tools.info;

import org.jbmi.BmiException;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.HostInUse;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The host of {@code zoid://} at this moment.
 *
 * @param directory the runtime directory
 * @param host the kind of host, in a word; "unknown" if it cannot be found
 * @param hostPid the process that holds the directory, or 0
 * @param serverPid the server's process, or 0
 * @param words the same as a sentence
 */
record ZoidState(String directory, String host, long hostPid, long serverPid, String words) {
    private static final String ZOID = "zoid";

    static ZoidState of(List<Inventory.MethodEntry> methods, String path) {
        boolean isAvailable =
                methods.stream()
                        .anyMatch(m -> m.name().equals(ZOID) && m.availability().isAvailable());
        if (!isAvailable) {
            return unknown(path, "zoid is not available here");
        }
        try {
            HostInUse host = HostInUse.of(new RuntimeDirectory(Path.of(path)));
            return new ZoidState(
                    path,
                    host.kind().name().toLowerCase(Locale.ROOT),
                    host.hostPid(),
                    host.serverPid(),
                    host.words());
        } catch (BmiException e) {
            return unknown(path, String.valueOf(e.getMessage()));
        }
    }

    private static ZoidState unknown(String path, String words) {
        return new ZoidState(path, "unknown", 0, 0, words);
    }
}
