/**
 * The journal: everything that enters an engine, and everything that it does, so that a run can be
 * read and replayed. What keeps the records is plugged in.
 */
@NullMarked
package org.jbmi.zbmi.journal;

import org.jspecify.annotations.NullMarked;
