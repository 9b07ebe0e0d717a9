/**
 * The parts of the demo: daemon, forwarding server, clients, each in a process or a thread of its
 * own, and what the coordinator and they tell each other.
 *
 * <p>A process reads commands from its standard input, one word a line, and tells its events on its
 * standard output, one line each, see {@link org.jbmi.demo.worker.WorkerEvent}. The end of its
 * input means that the coordinator is gone, and ends it too.
 */
@NullMarked
package org.jbmi.demo.worker;

import org.jspecify.annotations.NullMarked;
