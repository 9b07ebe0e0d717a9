package org.jbmi.testsuite.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Finds descriptors that a test left open: sockets, pipes, selectors, and files that are deleted,
 * as those of an environment are at its end. It cannot tell other files from those that the virtual
 * machine opens at any time, such as jars. Sees nothing on a system without {@code /proc}.
 */
public final class DescriptorWatch {
    private static final Path OPEN = Path.of("/proc/self/fd");

    private final List<String> before;

    /** Notes what is open. */
    public DescriptorWatch() {
        openWhatIsKept();
        before = open();
    }

    /**
     * The virtual machine keeps what it opens for the first channel, and for the first virtual
     * thread that waits for one.
     */
    private static void openWhatIsKept() {
        try {
            SocketChannel.open().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        CompletableFuture.runAsync(DescriptorWatch::waitShortly, Thread::startVirtualThread)
                .completeOnTimeout(null, 10, TimeUnit.SECONDS) // a test that hangs may pin carriers
                .join();
    }

    private static void waitShortly() {
        try (Selector selector = Selector.open()) {
            selector.select(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return what is open and was not before, a line for each descriptor} */
    public List<String> newOnes() {
        List<String> open = open();
        before.forEach(open::remove); // of equal names, as selectors have, one for each
        return open;
    }

    private static List<String> open() {
        List<String> open = new ArrayList<>();
        if (!Files.isDirectory(OPEN)) {
            return open;
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OPEN)) {
            for (Path descriptor : descriptors) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith("socket:")
                            || target.startsWith("pipe:")
                            || target.startsWith("anon_inode:")
                            || target.endsWith(" (deleted)")) {
                        open.add(target);
                    }
                } catch (NoSuchFileException e) {
                    // Another thread has closed it.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return open;
    }
}
