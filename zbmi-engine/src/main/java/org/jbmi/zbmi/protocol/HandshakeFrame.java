package org.jbmi.zbmi.protocol;

/** A frame of the handshake on the daemon's Unix-domain socket; see {@link HandshakeCodec}. */
public sealed interface HandshakeFrame
        permits Hello, Welcome, Refused, Goodbye, AskOperations, OperationsPage {}
