package org.jbmi.zoid.forward;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A caller may pass {@code null}. Without it the stub refuses {@code null} before it sends
 * anything. The size of an array that is {@code null} is not checked. Not for values such as {@code
 * int} or a record.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface NullOk {}
