/** Cases about calls: opening and closing, contexts, options, test calls, threads, cancel. */
@NullMarked
package org.jbmi.testsuite.cases.call;

import org.jspecify.annotations.NullMarked;
