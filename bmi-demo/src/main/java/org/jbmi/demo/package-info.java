/**
 * The command {@code bmi demo}: several clients copy a real file to a zoidfs server and back.
 *
 * <pre>
 *   bmi demo (coordinator) --- commands, events over pipes ----+-----------+-- ... --+
 *                                                              |           |         |
 *                                                           daemon      server    clients
 *                                                              |           |         |
 *                                                              +- segment in /dev/shm+
 * </pre>
 */
@NullMarked
package org.jbmi.demo;

import org.jspecify.annotations.NullMarked;
