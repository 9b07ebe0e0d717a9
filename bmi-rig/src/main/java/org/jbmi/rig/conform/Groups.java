package org.jbmi.rig.conform;

/** The titles of the groups of cases. */
final class Groups {
    private Groups() {}

    static String name(char group) {
        return group
                + " "
                + switch (group) {
                    case 'A' -> "opening and closing";
                    case 'B' -> "addresses";
                    case 'C' -> "contexts";
                    case 'D' -> "options";
                    case 'E' -> "memory";
                    case 'F' -> "expected messages";
                    case 'G' -> "lists";
                    case 'H' -> "unexpected messages";
                    case 'I' -> "unexpected messages without room";
                    case 'J' -> "test calls";
                    case 'K' -> "waiting and deadlines";
                    case 'L' -> "immediate completion";
                    case 'M' -> "matching and order";
                    case 'N' -> "cancel on the client";
                    case 'O' -> "cancel on the server";
                    case 'P' -> "foreign buffers, no memory";
                    case 'Q' -> "threads";
                    case 'R' -> "failure";
                    case 'S' -> "connections";
                    default -> "others";
                };
    }
}
