/** Cases about messages and memory: groups E to I, M and P. */
@NullMarked
package org.jbmi.testsuite.cases.message;

import org.jspecify.annotations.NullMarked;
