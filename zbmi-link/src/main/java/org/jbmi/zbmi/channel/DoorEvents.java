package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.ServerOutput;

/**
 * The events of an {@link EngineDoor} for its server: the engine's output, except for answers that
 * a call waits for. Called by one thread at a time, under a lock of the engine's or the channel's:
 * be quick, do not wait, and call nothing of the door, nor of its line but {@link
 * org.jbmi.zbmi.link.PeerLine#wake} and {@link org.jbmi.zbmi.link.PeerLine#end}.
 */
public interface DoorEvents extends ServerOutput, PeerLine.Events {}
