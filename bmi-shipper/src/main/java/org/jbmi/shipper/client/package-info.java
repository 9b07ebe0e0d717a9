/** The client half: sessions with servers, calls, exposed memory. Not exported. */
@NullMarked
package org.jbmi.shipper.client;

import org.jspecify.annotations.NullMarked;
