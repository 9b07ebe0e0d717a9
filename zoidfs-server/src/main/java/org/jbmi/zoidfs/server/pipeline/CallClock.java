package org.jbmi.zoidfs.server.pipeline;

/**
 * Where the time of a call goes. Each moment counts once: for the disk while something of it is
 * there, else for the link while a message of data is under way, else for queues. What the workers
 * did not spend at the disk was a queue too. Owned by the ordering stage.
 */
final class CallClock {
    private long sinceNs;
    private int atDisk;
    private int onLink;
    private long nearDiskNs;
    private long linkNs;
    private long queueNs;
    private long workedNs;

    CallClock(long arrivalNs) {
        sinceNs = arrivalNs;
    }

    private void advance() {
        long now = System.nanoTime();
        long spent = now - sinceNs;
        sinceNs = now;
        if (atDisk > 0) {
            nearDiskNs += spent;
        } else if (onLink > 0) {
            linkNs += spent;
        } else {
            queueNs += spent;
        }
    }

    void toDisk() {
        advance();
        atDisk++;
    }

    /** Something is back; the system calls took so long. */
    void fromDisk(long tookNs) {
        advance();
        atDisk--;
        workedNs += tookNs;
    }

    void toLink() {
        advance();
        onLink++;
    }

    void fromLink() {
        advance();
        onLink--;
    }

    /** It is answered; the times below are those until now. */
    void stop() {
        advance();
    }

    long diskNs() {
        return Math.min(workedNs, nearDiskNs);
    }

    long linkNs() {
        return linkNs;
    }

    long queueNs() {
        return queueNs + nearDiskNs - diskNs();
    }
}
