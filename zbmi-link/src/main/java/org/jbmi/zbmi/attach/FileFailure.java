package org.jbmi.zbmi.attach;

import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says why a file or folder cannot be used. Many exceptions of the JDK name only the file. */
public final class FileFailure {
    private FileFailure() {}

    /**
     * Describes a failure, for the end of a sentence.
     *
     * @param failure of a call for a file
     * @return words without a full stop, for example "access to /run/x is denied"
     */
    public static String reason(Exception failure) {
        String message = failure.getMessage();
        return switch (failure) {
            case NoSuchFileException e -> "there is no " + e.getFile();
            case AccessDeniedException e -> "access to " + e.getFile() + " is denied";
            case DirectoryNotEmptyException e -> e.getFile() + " is a directory that is not empty";
            case NotDirectoryException e -> e.getFile() + " is not a directory";
            case FileAlreadyExistsException e -> e.getFile() + " is in the way";
            case FileSystemException e when e.getReason() != null ->
                    e.getFile() + ": " + e.getReason();
            default -> message == null ? failure.toString() : message;
        };
    }
}
