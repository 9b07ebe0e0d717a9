/**
 * The stages of the server. One thread decodes, orders and merges and owns all state, one posts
 * messages and answers; workers wait for the disk. The stages pass work on through rings of the
 * LMAX Disruptor, and none of them ever waits for a disk or a client.
 */
@NullMarked
package org.jbmi.zoidfs.server.pipeline;

import org.jspecify.annotations.NullMarked;
