/** The exported tree: handles, open files and the operations on them. */
@NullMarked
package org.jbmi.zoidfs.server.files;

import org.jspecify.annotations.NullMarked;
