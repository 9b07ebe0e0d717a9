package org.jbmi.spi;

import org.jbmi.Option;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;

import java.util.List;

/**
 * Makes a method known to the library through {@link java.util.ServiceLoader}: name it in {@code
 * module-info} ({@code provides org.jbmi.spi.MethodProvider with ...}) and in {@code
 * META-INF/services}. Stateless; every call may come from any thread.
 */
public interface MethodProvider {
    /**
     * The scheme of its addresses.
     *
     * @return for example {@code "zoid"}; addresses begin with it and a colon
     */
    String scheme();

    /**
     * Whether it can be used on this machine, without side effects.
     *
     * @return available, or the reason why not
     */
    Availability availability();

    /**
     * The knobs it reads.
     *
     * @return declarations. Begin the names with your scheme and a dot, so that they differ from
     *     all other knobs. If two knobs have the same name, every open of a {@link org.jbmi.Bmi}
     *     fails
     */
    List<Knob<?>> knobs();

    /**
     * The options that {@link Method#setOption} and {@link Method#getOption} know.
     *
     * @return declarations, which are constants of the method's public package too; none by default
     */
    default List<Option<?>> options() {
        return List.of();
    }

    /**
     * The limits that a configuration gives.
     *
     * @param configuration the knobs' values
     * @return sizes
     */
    MethodLimits limits(Configuration configuration);

    /**
     * Opens the method for one {@link org.jbmi.Bmi}. Threads of the method may call {@code host}
     * before this returns; the core keeps their reports until then.
     *
     * @param host the core
     * @param listenAddresses the addresses to serve, all of this scheme; empty for a client
     * @return an open method
     * @throws org.jbmi.BmiException if it cannot be opened; nothing is left behind
     */
    Method open(MethodHost host, List<String> listenAddresses);
}
