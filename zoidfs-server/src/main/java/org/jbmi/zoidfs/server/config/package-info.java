/** What a server is told: the folder, the key of its handles, rights, bounds. */
@NullMarked
package org.jbmi.zoidfs.server.config;

import org.jspecify.annotations.NullMarked;
