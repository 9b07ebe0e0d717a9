/**
 * The native binding: the only package that calls the operating system by downcall or reinterprets
 * a segment.
 */
@NullMarked
package org.jbmi.mempool.os;

import org.jspecify.annotations.NullMarked;
