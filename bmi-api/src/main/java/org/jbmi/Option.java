package org.jbmi;

/**
 * An option of {@link Bmi#setOption} and {@link Bmi#getOption}, with the type of its value. The
 * library's own are in {@link Options}; a method declares its own in its own package. {@link
 * Bmi#options} lists them all.
 *
 * @param name the name of the C constant, for example {@code "BMI_CHECK_MAXSIZE"}
 * @param type the class of the value
 * @param standaloneNumber its number in the standalone library, -1 for none
 * @param orangeFsNumber its number in OrangeFS, -1 for none
 * @param settable whether it can be set
 * @param gettable whether it can be read
 * @param <T> the type of the value
 */
public record Option<T>(
        String name,
        Class<T> type,
        int standaloneNumber,
        int orangeFsNumber,
        boolean settable,
        boolean gettable) {
    /** The two numberings in use; they differ from 16 on. */
    public enum Numbering {
        /** The standalone library, as the I/O forwarders use it. */
        STANDALONE,
        /** The copy in OrangeFS. */
        ORANGEFS
    }

    /**
     * Its number for a C program.
     *
     * @param numbering whose numbers
     * @return a positive number, or -1 if that library does not have it
     */
    public int number(Numbering numbering) {
        return numbering == Numbering.STANDALONE ? standaloneNumber : orangeFsNumber;
    }
}
