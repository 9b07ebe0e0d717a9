/**
 * The records that the rules of the engine work on: sessions, operations, queues, grants, memory.
 * They decide nothing. Fields are public, since only the engine sees this package.
 */
@NullMarked
package org.jbmi.zbmi.engine.state;

import org.jspecify.annotations.NullMarked;
