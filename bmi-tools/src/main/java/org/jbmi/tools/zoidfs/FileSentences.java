package org.jbmi.tools.zoidfs;

import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Status;

/** Describes failures of a server, with the name of the file and advice. */
final class FileSentences {
    private FileSentences() {}

    /**
     * The message for a failed call about a file.
     *
     * @param sfp whether the client spoke the dialect sfp
     */
    static ToolException of(Location file, ZoidfsException failure, boolean sfp) {
        boolean isAnswered = failure.getCause() == null;
        String sentence =
                isAnswered
                        ? Status.text(failure.status()) + advice(file, failure.status())
                        : withoutAnswer(file, failure, sfp);
        return new ToolException(file + ": " + sentence, failure);
    }

    private static String withoutAnswer(Location file, ZoidfsException failure, boolean sfp) {
        String what = Sentences.finish(failure.getMessage());
        return switch (failure.status()) {
            // The message itself asks for the possible reason.
            case Status.XDR -> {
                String other = sfp ? " If not, leave --sfp out" : " If it speaks sfp, give --sfp";
                yield what.contains("dialect") ? what + other : what;
            }
            case Status.TIMEOUT ->
                    "The server does not answer; is it 'zoidfs serve'? See what it does with"
                            + " 'zoidfs stat "
                            + file.address()
                            + "', or wait longer with --timeout";
            default ->
                    what
                            + " Start one there with 'zoidfs serve', or give the address that it"
                            + " printed";
        };
    }

    private static String advice(Location file, int status) {
        return switch (status) {
            case Status.NOENT -> ". See what is there with 'zoidfs ls " + file.folder() + "'";
            case Status.ACCES, Status.PERM ->
                    ". The user of the server may not do that: change the mode or the owner on its"
                            + " host, or serve as a user who may";
            case Status.EXIST -> ". Choose another name, or remove what is there";
            case Status.NOTDIR -> ". Only a directory can have a name below it";
            case Status.ISDIR -> ". Give the name of a file";
            case Status.ROFS -> ". Only a server without --read-only can change files";
            case Status.NOSPC, Status.DQUOT -> ". Make room on the host of the server";
            case Status.NAMETOOLONG -> ". A name has 255 bytes at most, a path 4095";
            case Status.STALE -> ". It was removed or replaced meanwhile: try again";
            case Status.NOTIMPL -> ". Only servers of this project know that";
            case Status.XDR -> ". A name has 257 bytes at most in a request, a path 4097";
            default -> ". The log of the server may tell more";
        };
    }
}
