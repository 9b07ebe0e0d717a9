/**
 * ZOID's call forwarding: the annotations of a plug-in's interface, and what a plug-in sees.
 *
 * <p>A plug-in is an interface with {@link org.jbmi.zoid.forward.ZoidPlugin}. Its methods, the
 * functions, run on the server; a client calls them through a generated stub. {@code ZoidPlugin}
 * says what a function may do with memory and threads. The annotations of a parameter are the hints
 * of a ZOID header, one to one:
 *
 * <table>
 * <caption>Hints and their counterparts</caption>
 * <tr><th>hint</th><th>here</th></tr>
 * <tr><td>{@code in}</td><td>{@link org.jbmi.zoid.forward.In}, the default</td></tr>
 * <tr><td>{@code out}</td><td>{@link org.jbmi.zoid.forward.Out}</td></tr>
 * <tr><td>{@code inout}</td><td>{@link org.jbmi.zoid.forward.InOut}</td></tr>
 * <tr><td>{@code obj}</td><td>a primitive type, or a record</td></tr>
 * <tr><td>{@code str}</td><td>{@code String}; {@link org.jbmi.zoid.forward.Cell} of it for output</td></tr>
 * <tr><td>{@code ptr}</td><td>a cell: {@link org.jbmi.zoid.forward.IntCell} and its siblings, {@link org.jbmi.zoid.forward.Cell} of a record</td></tr>
 * <tr><td>{@code arr}</td><td>{@code MemorySegment} of bytes, or an array of a primitive type or of records</td></tr>
 * <tr><td>{@code arr2d}</td><td>an array of these</td></tr>
 * <tr><td>{@code size}</td><td>{@link org.jbmi.zoid.forward.Sized}</td></tr>
 * <tr><td>{@code nullok}</td><td>{@link org.jbmi.zoid.forward.NullOk}</td></tr>
 * <tr><td>{@code zerocopy}</td><td>{@link org.jbmi.zoid.forward.ZeroCopy}</td></tr>
 * <tr><td>{@code userbuf}</td><td>{@link org.jbmi.zoid.forward.UserBuffer}</td></tr>
 * </table>
 */
@NullMarked
package org.jbmi.zoid.forward;

import org.jspecify.annotations.NullMarked;
