/** The one reader of JSON: of recordings, of kept rows of tables, and in tests. */
@org.jspecify.annotations.NullMarked
package org.jbmi.testsuite.json;
