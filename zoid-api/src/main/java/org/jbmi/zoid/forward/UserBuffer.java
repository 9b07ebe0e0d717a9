package org.jbmi.zoid.forward;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The plug-in provides the memory of this array on the server. For an input the interface has a
 * default method, the <em>allocator</em>: {@code MemorySegment <function>Allocate(int bytes)}; null
 * fails the call with ENOMEM. For an output the function calls {@link
 * PluginServices#registerUserBuffer} or {@link PluginServices#allocateUserBuffer}. Only with {@link
 * ZeroCopy}, and only for arrays of one dimension; an input has elements of one byte. The memory
 * does not count for the size limit of a message.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface UserBuffer {}
