/**
 * The protocol of zoidfs: requests, replies and the data between them, as the I/O forwarders of the
 * IOFSL kind speak it over BMI. Text on the wire is bytes without an encoding; here it is a String
 * with one character, 0 to 255, for each byte.
 */
@NullMarked
package org.jbmi.zoidfs.protocol;

import org.jspecify.annotations.NullMarked;
