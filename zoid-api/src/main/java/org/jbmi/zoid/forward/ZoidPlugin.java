package org.jbmi.zoid.forward;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * This interface is a plug-in: its functions are forwarded from clients to the server.
 *
 * <p>Several threads may run functions at the same time. The memory of an array belongs to the
 * call: a function must not use it after its return, except memory with {@link UserBuffer}.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface ZoidPlugin {
    /**
     * The number by which clients and server know the plug-in, 1 to 65535; 0 is the daemon itself.
     * This project uses 1 (zoidfs), 2 (unix), 4 (test), 5 (mapping) and 6 (barrier). The original
     * also used 3 (lofar) and 10 (ftb).
     *
     * @return the number
     */
    int id();

    /**
     * The name by which a server loads the plug-in.
     *
     * @return the name
     */
    String name();
}
