package org.jbmi.simulator.coverage;

/** A rule that few worlds can break, so that it is counted how often it was looked at. */
public enum Rule {
    /** An operation that waits for memory at the end of a world finds none. */
    MEMORY("waits for memory"),
    /** A receive that is refused after its post had a message that is too long before it. */
    REFUSAL("refused later"),
    /** The counters of a host add up. */
    COUNTERS("counters add up"),
    /** What a client's receive gets after its deadline was posted before it. */
    DEADLINE("after its deadline"),
    /** A session is out of use for a peer that lives only. */
    QUARANTINE("is in quarantine");

    private final String label;

    Rule(String label) {
        this.label = label;
    }

    /** {@return a few words for tables} */
    public String label() {
        return label;
    }
}
