package org.jbmi.tools.cli;

import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The addresses on which a server listens, here or elsewhere.
 *
 * @param texts as the user gave them
 */
public record ListenAddresses(List<String> texts) {
    /** An address with a port, which the system does not choose. */
    private static final String OWN_PORT = ".*:0*[1-9][0-9]*";

    /** Copies the list. */
    public ListenAddresses {
        texts = List.copyOf(texts);
    }

    /** {@return whether other users may reach it, which is so if an address is of tcp} */
    public boolean hasTcp() {
        return texts.stream().anyMatch(ListenAddresses::isTcp);
    }

    /** {@return those of tcp, in order} */
    public List<String> tcp() {
        return texts.stream().filter(ListenAddresses::isTcp).toList();
    }

    /** An address of tcp may have a zone after a hyphen. */
    private static boolean isTcp(String text) {
        return text.startsWith("tcp:") || text.startsWith("tcp-");
    }

    /** {@return the first address of tcp whose port is 0 or left out; null if there is none} */
    public @Nullable String withFreePort() {
        return texts.stream().filter(ListenAddresses::isFree).findFirst().orElse(null);
    }

    /** Checks that an echo, which is over tcp only, may be there. */
    public void checkEcho(Function<String, RuntimeException> wrongUse) {
        if (!hasTcp()) {
            throw wrongUse.apply(
                    "The echo is over tcp: ADDRESS is tcp://HOST:PORT, not "
                            + String.join(",", texts));
        }
    }

    /** Whether the system chooses the port, which is 0 or left out. */
    private static boolean isFree(String text) {
        return isTcp(text) && !text.matches(OWN_PORT);
    }

    /**
     * {@return what is wrong with the addresses together, or null} If the system chose several
     * ports, the program could not tell them apart.
     */
    public @Nullable String trouble() {
        List<String> tcp = tcp();
        boolean tellsPorts = tcp.size() < 2 || tcp.stream().noneMatch(ListenAddresses::isFree);
        return tellsPorts
                ? null
                : "Port 0 is for a single tcp address: of several, give each its port";
    }

    /**
     * The addresses for clients.
     *
     * @param bmi listens there
     * @return with the actual port where the system chose it, separated by blanks
     */
    public String resolved(Bmi bmi) {
        return texts.stream()
                .map(
                        text ->
                                isFree(text)
                                        ? text.replaceFirst(":0*$", "")
                                                + ":"
                                                + bmi.getOption(TcpOptions.PORT)
                                        : text)
                .collect(Collectors.joining(" "));
    }
}
