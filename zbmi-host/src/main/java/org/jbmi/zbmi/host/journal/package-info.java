/**
 * The journal: all events and actions of an engine, so that a run can be read and replayed. A
 * provider stores the records.
 */
@NullMarked
package org.jbmi.zbmi.host.journal;

import org.jspecify.annotations.NullMarked;
