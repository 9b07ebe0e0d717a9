package org.jbmi.zoid.forward;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The plug-in brings the memory of this array on the server. Only beside {@link ZeroCopy}, and only
 * for arrays of one dimension; one that goes in has elements of one byte. The memory is not counted
 * in the limit of a message.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface UserBuffer {}
