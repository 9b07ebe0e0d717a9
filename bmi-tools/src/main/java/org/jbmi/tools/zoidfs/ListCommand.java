package org.jbmi.tools.zoidfs;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoidfs.client.DirectoryParts;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.FileType;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** The command {@code zoidfs ls}. */
@Command(
        name = "ls",
        versionProvider = ToolVersion.class,
        description = {"Lists a directory of a server, or shows a file's own name.", ""})
public final class ListCommand extends ClientCommand implements Callable<Integer> {
    /** All are in memory until they are sorted, and a server may send entries without an end. */
    private static final int MAX_ENTRIES = 1 << 22;

    /** Always nine digits behind the second, so that names stand below each other. */
    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(9).toFormatter(Locale.ROOT);

    @Option(names = "-l", description = "Show type, mode, owner, size and time as well.")
    private boolean asLines;

    @Parameters(paramLabel = "LOCATION", description = "For example tcp://host:3334/folder.")
    private String location;

    @Override
    public Integer call() throws IOException, ToolException, InterruptedException {
        Location directory = location(location);
        on(directory, client -> list(client, directory));
        return 0;
    }

    private void list(ZoidfsClient client, Location directory) throws IOException, ToolException {
        FileHandle handle = client.lookup(FileSpec.path(directory.path()));
        PrintWriter out = spec().commandLine().getOut();
        Attributes own = client.getAttributes(handle);
        if (own.type() != FileType.DIRECTORY) {
            String name = ZoidfsClient.readableText(directory.path());
            out.println(asLines ? line(own, name) : name);
            return;
        }
        List<DirectoryEntry> entries = new ArrayList<>();
        DirectoryParts parts = new DirectoryParts(client, handle, flags());
        for (List<DirectoryEntry> part = parts.next(); !part.isEmpty(); part = parts.next()) {
            for (DirectoryEntry entry : part) {
                if (!entry.name().equals(".") && !entry.name().equals("..")) {
                    entries.add(entry);
                }
            }
            if (entries.size() > MAX_ENTRIES) {
                throw new ToolException(
                        directory
                                + " has more than "
                                + MAX_ENTRIES
                                + " entries, which are too many to sort: mount the server with"
                                + " 'zoidfs mount', and list the directory with 'ls -U'");
            }
        }
        entries.sort(Comparator.comparing(DirectoryEntry::name));
        int unreadable = 0;
        for (DirectoryEntry entry : entries) {
            String name = ZoidfsClient.readableText(entry.name());
            unreadable += ZoidfsClient.wireText(name).equals(entry.name()) ? 0 : 1;
            out.println(asLines ? line(entry.attributes(), name) : name);
        }
        if (unreadable > 0) {
            PrintWriter err = spec().commandLine().getErr();
            err.printf(
                    "zoidfs: %d of the names are not UTF-8, and are shown with \ufffd in place of"
                            + " other bytes. No command reaches these files: rename them on the"
                            + " host of the server.%n",
                    unreadable);
        }
    }

    private int flags() {
        return asLines ? AttributeMask.ALL : 0;
    }

    static String line(Attributes attributes, String name) {
        return String.format(
                Locale.ROOT,
                "%s%04o %3d %5d %5d %12d %s %s",
                letter(attributes.type()),
                attributes.mode(),
                attributes.nlink(),
                attributes.uid(),
                attributes.gid(),
                attributes.size(),
                TIME.format(attributes.mtime().toInstant()),
                name);
    }

    private static String letter(int type) {
        return switch (type) {
            case FileType.DIRECTORY -> "d";
            case FileType.SYMLINK -> "l";
            case FileType.REGULAR -> "-";
            default -> "?";
        };
    }
}
