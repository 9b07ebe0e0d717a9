/** The system calls of the server, all of them: files by descriptor, beneath one directory. */
@NullMarked
package org.jbmi.zoidfs.server.os;

import org.jspecify.annotations.NullMarked;
