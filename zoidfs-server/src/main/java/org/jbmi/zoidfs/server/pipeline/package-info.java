/**
 * The stages of the server. The ordering stage decodes, orders and merges requests and owns all
 * state. The posting stage posts messages and replies. Workers wait for the disk. The stages pass
 * work on through rings of the LMAX Disruptor. Neither ordering nor posting waits for a disk or a
 * client.
 */
@NullMarked
package org.jbmi.zoidfs.server.pipeline;

import org.jspecify.annotations.NullMarked;
