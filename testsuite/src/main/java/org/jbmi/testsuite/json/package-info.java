/** The one reader of JSON: of recordings, of kept rows of tables, and in tests. */
@NullMarked
package org.jbmi.testsuite.json;

import org.jspecify.annotations.NullMarked;
