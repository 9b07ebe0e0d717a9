/** The server half: sessions with clients, admission, calls, transfers. Not exported. */
@NullMarked
package org.jbmi.shipper.server;

import org.jspecify.annotations.NullMarked;
