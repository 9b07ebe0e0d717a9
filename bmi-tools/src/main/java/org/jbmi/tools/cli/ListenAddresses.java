package org.jbmi.tools.cli;

import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Where a server that a command starts listens.
 *
 * @param texts as they were given
 */
public record ListenAddresses(List<String> texts) {
    private static final String ANY_PORT = ":0";

    /** Keeps a copy. */
    public ListenAddresses {
        texts = List.copyOf(texts);
    }

    /**
     * Whether others than this user may reach it.
     *
     * @return true if one is of tcp
     */
    public boolean hasTcp() {
        return texts.stream().anyMatch(text -> text.startsWith("tcp:"));
    }

    /**
     * Whether the ports that the system chooses can be told.
     *
     * @return false if port 0 is one of several addresses of tcp
     */
    public boolean tellsPorts() {
        List<String> tcp = texts.stream().filter(text -> text.startsWith("tcp:")).toList();
        return tcp.size() < 2 || tcp.stream().noneMatch(text -> text.endsWith(ANY_PORT));
    }

    /**
     * The addresses for clients.
     *
     * @param bmi listens there
     * @return with the port in the place of 0, separated by blanks
     */
    public String resolved(Bmi bmi) {
        return texts.stream()
                .map(
                        text ->
                                text.endsWith(ANY_PORT)
                                        ? text.substring(0, text.length() - 1)
                                                + bmi.getOption(TcpOptions.PORT)
                                        : text)
                .collect(Collectors.joining(" "));
    }
}
