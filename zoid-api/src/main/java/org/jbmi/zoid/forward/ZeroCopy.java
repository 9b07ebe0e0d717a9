package org.jbmi.zoid.forward;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The array moves to and from the memory of the client without a copy. Memory that other threads
 * cannot use, and a heap array other than a {@code byte[]}, are copied even so. A function has at
 * most one such input and one such output. Faster for large buffers only.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface ZeroCopy {}
