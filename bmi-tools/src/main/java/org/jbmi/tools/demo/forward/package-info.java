/**
 * A small file forwarder: clients ship files to a server and fetch them back. The pattern is that
 * of the I/O forwarders that BMI was made for.
 *
 * <pre>
 *   client                                            server
 *     |  unexpected, tag t: TransferRequest              |
 *     |-------------------------------------------------&gt;|
 *     |  expected, tag t: chunk, chunk, chunk ...        |   to the server (write)
 *     |&lt;------------------------------------------------&gt;|   or from it (read)
 *     |  expected, tag t + 1: TransferReply              |
 *     |&lt;-------------------------------------------------|
 * </pre>
 *
 * Both sides know the number of chunks from the request, and keep several under way. What becomes
 * of the file never changes the stream of messages: a disk error is told in the reply. Only a
 * request that the server cannot accept is answered at once, without any chunk.
 */
@NullMarked
package org.jbmi.tools.demo.forward;

import org.jspecify.annotations.NullMarked;
