package org.jbmi.tools.cli;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.host.port.CommandPorts;

import java.util.function.Function;
import java.util.function.Supplier;

/** Tells an address or a knob that is wrong on every machine from a failure of this machine. */
public final class Misuse {
    private Misuse() {}

    /**
     * Whether a value or an address is wrong on every machine.
     *
     * @param e from a call that was given values of the command line
     */
    public static boolean is(BmiException e) {
        return e.code() == ErrorCode.EINVAL
                || e.code() == ErrorCode.ENOPROTOOPT
                || e.code() == ErrorCode.ENAMETOOLONG;
    }

    /**
     * {@return what is wrong with a value that the command line gives to the library}
     *
     * @param e from a call that was given values of {@code --knob}
     */
    public static String sentence(BmiException e) {
        return String.valueOf(e.getMessage()).replace("(set by the program)", "(set by --knob)");
    }

    /**
     * Makes a call with values of the command line.
     *
     * @param <T> what the call returns
     * @param wrongUse makes the exception for a wrong command line
     * @param call for example a look-up of an address
     * @throws BmiException if the call fails for another reason
     */
    public static <T> T check(Function<String, RuntimeException> wrongUse, Supplier<T> call) {
        try {
            return call.get();
        } catch (BmiException e) {
            if (is(e)) {
                throw wrongUse.apply(sentence(e));
            }
            throw e;
        }
    }

    /**
     * Checks the name of a command channel. Whether that channel is available here is seen when it
     * is opened.
     *
     * @param wrongUse makes the exception for a wrong command line
     * @param name what the user typed
     */
    public static void checkChannel(Function<String, RuntimeException> wrongUse, String name) {
        try {
            CommandPorts.require(name);
        } catch (BmiException e) {
            if (e.code() == ErrorCode.EPROTONOSUPPORT) {
                throw wrongUse.apply(String.valueOf(e.getMessage()));
            }
        }
    }
}
