package org.jbmi.tools.cli;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Describes failures in one sentence. */
public final class Sentences {
    private static final char LAST_ASCII = 0x7f;

    private Sentences() {}

    /**
     * Describes a failure.
     *
     * @param failure any exception
     * @return one line that ends with a full stop
     */
    public static String of(Throwable failure) {
        return of(failure, null);
    }

    /** Describes a failure of a command, which may have asked a server. */
    static String of(Throwable failure, @Nullable String server) {
        return finish(
                switch (failure) {
                    case NoSuchFileException e -> nothingAt(e.getFile());
                    case AccessDeniedException e -> "Access to " + e.getFile() + " is denied";
                    case FileSystemException e -> e.getFile() + ": " + reason(e);
                    case CallFailedException e when e.isRemote() ->
                            "The server answers: " + e.why();
                    case CallFailedException e -> withoutAnswer(e, server);
                    case ZoidException e when e.getCause() instanceof CallFailedException call ->
                            of(call, server);
                    case ZoidException e -> messageOf(e);
                    case BmiException e -> messageOf(e);
                    case ToolException e -> messageOf(e);
                    case IOException e -> messageOf(e);
                    case InvalidPathException e -> noPath(e);
                    default -> "Something unexpected happened: " + failure;
                });
    }

    /** The server gave no answer, or refused a session; then the reason is its own sentence. */
    private static String withoutAnswer(CallFailedException e, @Nullable String server) {
        boolean isSilent = e.code() == ErrorCode.ETIMEDOUT;
        if (server == null) {
            return (isSilent ? "The server does not answer: " : "") + e.why();
        }
        String why = e.why().replaceFirst("\\.$", "");
        return isSilent
                ? "The server at %s does not answer: %s; is it a server for this command?"
                        .formatted(server, why)
                : "%s (%s, %s)".formatted(why, e.code(), server);
    }

    /** The JDK names the file also if it is to be made, and its folder is not there. */
    private static String nothingAt(@Nullable String file) {
        Path folder = file == null ? null : Path.of(file).toAbsolutePath().getParent();
        return folder == null || Files.isDirectory(folder)
                ? "There is no file " + file
                : "There is no folder " + folder;
    }

    private static String reason(FileSystemException e) {
        String reason = e.getReason();
        return reason == null ? e.getClass().getSimpleName() : reason;
    }

    /** In a language without UTF-8, such as C, the JDK takes only names in ASCII. */
    private static String noPath(InvalidPathException e) {
        boolean isAscii = e.getInput().chars().allMatch(each -> each <= LAST_ASCII);
        return '"'
                + e.getInput()
                + "\" cannot be a path: "
                + e.getReason()
                + (isAscii ? "" : "; set LC_ALL to a language with UTF-8, such as C.UTF-8");
    }

    private static String messageOf(Exception e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.toString() : message;
    }

    /**
     * Changes a text into one line that ends with a full stop.
     *
     * @param text any text
     */
    public static String finish(@Nullable String text) {
        String line = String.valueOf(text).replaceAll("\\s*[\\r\\n]+\\s*", " ").strip();
        return line.endsWith(".") || line.endsWith("!") || line.endsWith("?") ? line : line + ".";
    }
}
