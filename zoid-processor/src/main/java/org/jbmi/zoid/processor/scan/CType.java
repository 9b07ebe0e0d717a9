package org.jbmi.zoid.processor.scan;

/**
 * A C type as a header writes it, without {@code const} and the like.
 *
 * @param base the type that addresses, if any, lead to: {@code unsigned long}, {@code struct name}
 * @param addresses how many stars it has; brackets of a parameter count as one
 */
record CType(String base, int addresses) {
    @Override
    public String toString() {
        return addresses == 0 ? base : base + " " + "*".repeat(addresses);
    }
}
