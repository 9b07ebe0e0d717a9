/** Settings of a server: the folder, the key of its handles, rights, limits. */
@NullMarked
package org.jbmi.zoidfs.server.config;

import org.jspecify.annotations.NullMarked;
