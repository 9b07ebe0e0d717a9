/** The daemon: hosts the engine, watches its peers and publishes its counters. */
@NullMarked
package org.jbmi.zbmi.daemon;

import org.jspecify.annotations.NullMarked;
