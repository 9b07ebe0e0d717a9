package org.jbmi.zbmi.protocol.handshake;

/** A frame of the handshake on a host's Unix-domain socket; see {@link HandshakeCodec}. */
public sealed interface HandshakeFrame
        permits Hello, Welcome, Refused, Goodbye, Ring, Redirect, AskOperations, OperationsPage {}
