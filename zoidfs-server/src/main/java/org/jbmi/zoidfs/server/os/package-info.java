/** All system calls of the server: files by descriptor, beneath one directory. */
@NullMarked
package org.jbmi.zoidfs.server.os;

import org.jspecify.annotations.NullMarked;
