package org.jbmi.simulator;

import org.jbmi.simulator.coverage.WorldState;
import org.jbmi.simulator.socket.SimStream;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.engine.port.WaitReason;

import java.util.EnumSet;

/** Finds the states that a world is in. */
final class StatesOf {
    private final World world;
    private int serverOperationsKnown;

    StatesOf(World world) {
        this.world = world;
    }

    void collect(EnumSet<WorldState> states) {
        int ofServer = 0;
        for (SimOp op : world.ledger.pending) {
            if (op.owner.isServer()) {
                states.add(WorldState.SERVER_PENDING);
                ofServer++;
            } else {
                states.add(stateOf(op));
            }
        }
        if (states.isEmpty()) {
            states.add(WorldState.IDLE);
        }
        SimHosting daemon = world.daemon;
        daemon.showOperations(
                (id, client, isServer, isSend, isUnexpected, tag, bytes, age, reason) -> {
                    serverOperationsKnown += isServer ? 1 : 0;
                    if (reason == WaitReason.MOVING) {
                        states.add(WorldState.GRANTED);
                    }
                });
        if (ofServer > serverOperationsKnown) {
            states.add(WorldState.SERVER_UNSENT);
        }
        if (daemon.isAlive && daemon.isEngineAsleep()) {
            states.add(WorldState.ENGINE_ASLEEP);
        }
        if (daemon.sessionsInQuarantine() + world.door().sessionsInQuarantine() > 0) {
            states.add(WorldState.QUARANTINE);
        }
        if (!world.server.isAlive) {
            states.add(WorldState.NO_SERVER);
        }
        if (world.server.hasLent()) {
            states.add(WorldState.LENT);
        }
        collectOfProcesses(states);
        SimGateway gateway = world.gatewayOrNull();
        if (gateway != null) {
            collectOfGateway(gateway, states);
        }
    }

    private void collectOfGateway(SimGateway gateway, EnumSet<WorldState> states) {
        if (gateway.frames > 0) {
            states.add(WorldState.GATEWAY_BUSY);
        } else if (gateway.isAlive && gateway.isAsleep()) {
            states.add(WorldState.GATEWAY_ASLEEP);
        }
        if (gateway.isHalfCopied) {
            states.add(WorldState.MOVING);
        }
        for (SimPeer peer : world.peers) {
            if (!(peer instanceof SimRemoteClient remote)) {
                continue;
            }
            if (remote.isDialling()) {
                states.add(WorldState.DIALLING);
            }
            SimStream link = remote.stream();
            if (link == null || link.isLost()) {
                continue;
            }
            if (!remote.isDialling() && !remote.hasRoom()) {
                states.add(WorldState.FRAMES_FULL);
            }
            if (link.isCarrying()) {
                states.add(WorldState.LINK_LOADED);
            }
            if (link.isFull()) {
                states.add(WorldState.LINK_FULL);
            }
        }
    }

    private void collectOfProcesses(EnumSet<WorldState> states) {
        for (SimPeer peer : world.peers) {
            if (peer.isAsleep()) {
                states.add(WorldState.PEER_ASLEEP);
            }
            if (peer.inCall > 0) {
                states.add(peer.isServer() ? WorldState.SERVER_IN_CALL : WorldState.CLIENT_IN_CALL);
            }
            if (peer.isHalfCopied) {
                states.add(WorldState.MOVING);
            }
        }
        if (world.daemon.isHalfCopied) {
            states.add(WorldState.MOVING);
        }
    }

    private static WorldState stateOf(SimOp op) {
        if (op.kind() == OperationKind.SEND_UNEXPECTED) {
            return WorldState.UNEXPECTED_PENDING;
        }
        if (op.isReceive()) {
            return WorldState.RECEIVE_PENDING;
        }
        return op.sizeBytes() <= World.EAGER ? WorldState.EAGER_PENDING : WorldState.SEND_PENDING;
    }
}
