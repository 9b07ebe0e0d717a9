/**
 * The files of a zoidfs server as a {@link java.nio.file.FileSystem}: for {@code Files}, {@code
 * FileChannel}, and every library that takes a {@code Path}.
 */
@NullMarked
package org.jbmi.zoidfs.nio;

import org.jspecify.annotations.NullMarked;
