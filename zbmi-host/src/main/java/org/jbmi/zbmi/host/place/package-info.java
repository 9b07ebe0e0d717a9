/**
 * The place of a host: its settings, its lock and its files in the runtime directory, the counters
 * and errors in them, and what other processes read there.
 */
@NullMarked
package org.jbmi.zbmi.host.place;

import org.jspecify.annotations.NullMarked;
