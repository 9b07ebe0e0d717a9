/**
 * What a host has in the runtime directory: settings, lock, files with counters and errors. Also
 * what other processes read there. Beside it, what a host's threads do without memory.
 */
@NullMarked
package org.jbmi.zbmi.host.place;

import org.jspecify.annotations.NullMarked;
