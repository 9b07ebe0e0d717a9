package org.jbmi.zoid.forward.wire;

/** The names under which a server offers its functions to the shipper's clients. */
public final class Names {
    /** Stays under way as long as a process lives. */
    public static final String ATTEND = "zoid.attend";

    /** Tells a process its number. */
    public static final String JOIN = "zoid.join";

    /** A forwarded call. */
    public static final String CALL = "zoid.call";

    /** Stays under way as long as a job's launcher lives. */
    public static final String JOB = "zoid.job";

    /** Tells a launcher that its job may start. */
    public static final String JOB_START = "zoid.jobStart";

    /** Tells the server that a job is over. */
    public static final String JOB_END = "zoid.jobEnd";

    /** Waits for output of a job. */
    public static final String OUTPUT = "zoid.output";

    /** Returns the counters. */
    public static final String STAT = "zoid.stat";

    /** Sends a file to all who receive broadcasts. */
    public static final String BROADCAST = "zoid.broadcast";

    /** Lists plug-ins, loads and unloads them. */
    public static final String MODULES = "zoid.modules";

    /** Takes packets of a process. */
    public static final String PACKETS_OUT = "zoid.packetsOut";

    /** Waits for packets for a process. */
    public static final String PACKETS_IN = "zoid.packetsIn";

    /** Says that a process receives broadcasts from now on. */
    public static final String ENROL = "zoid.enrol";

    /** Waits for the next part of a broadcast. */
    public static final String RECEIVE = "zoid.receive";

    private Names() {}
}
