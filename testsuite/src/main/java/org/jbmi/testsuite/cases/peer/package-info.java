/** Cases about peers: addresses, connections, and the death of peers and brokers. */
@NullMarked
package org.jbmi.testsuite.cases.peer;

import org.jspecify.annotations.NullMarked;
