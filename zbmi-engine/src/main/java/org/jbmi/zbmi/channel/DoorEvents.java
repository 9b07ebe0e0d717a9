package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.link.LineEvents;
import org.jbmi.zbmi.protocol.ServerOutput;

/**
 * What an {@link EngineDoor} says to its server: the news of the engine but for the answers that a
 * call waits for. Called by one thread at a time, under a lock of the engine's or the channel's: be
 * quick, do not wait, and call nothing of the door, nor of its line but {@link
 * org.jbmi.zbmi.link.PeerLine#wake} and {@link org.jbmi.zbmi.link.PeerLine#end}.
 */
public interface DoorEvents extends ServerOutput, LineEvents {}
