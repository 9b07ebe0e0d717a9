/** What cases of several groups use. */
@NullMarked
package org.jbmi.testsuite.cases.common;

import org.jspecify.annotations.NullMarked;
