/**
 * The protocol of zoidfs, the file protocol of the I/O forwarder IOFSL: requests, replies and the
 * data between them. Text on the wire is bytes without an encoding; in this package it is a String
 * with one character, 0 to 255, for each byte.
 */
@NullMarked
package org.jbmi.zoidfs.protocol;

import org.jspecify.annotations.NullMarked;
