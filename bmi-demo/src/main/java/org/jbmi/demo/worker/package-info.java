/**
 * The parts of the demo: daemon, zoidfs server and clients, each in a process or a thread of its
 * own. Also their messages to and from the coordinator.
 *
 * <p>A process reads commands from its standard input, one word per line, and writes its events to
 * its standard output, one per line, see {@link org.jbmi.demo.worker.WorkerEvent}. It also ends at
 * the end of its input, because the coordinator has gone then.
 */
@NullMarked
package org.jbmi.demo.worker;

import org.jspecify.annotations.NullMarked;
