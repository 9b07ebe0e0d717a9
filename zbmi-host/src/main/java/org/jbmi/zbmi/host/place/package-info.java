/**
 * What a host has in the runtime directory: settings, lock, files with counters and errors. Also
 * what other processes read there.
 */
@NullMarked
package org.jbmi.zbmi.host.place;

import org.jspecify.annotations.NullMarked;
