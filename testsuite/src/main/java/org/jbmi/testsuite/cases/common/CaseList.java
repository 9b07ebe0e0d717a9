package org.jbmi.testsuite.cases.common;

import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.ConformanceCase;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Scene;

import java.util.List;
import java.util.Set;

/**
 * Collects cases. Each is added for every method, or for those that can do what it needs, and may
 * take {@link ConformanceCase#DEFAULT_SECONDS} or a time of its own.
 */
public final class CaseList {
    /** A case between a server and a client that have met. */
    @FunctionalInterface
    public interface LinkBody {
        /** Plays it. */
        void run(Scene scene, Link link) throws Exception;
    }

    /** A case that is played from the client to the server, and then from the server to it. */
    @FunctionalInterface
    public interface BothWaysBody {
        /** Plays it in one direction. */
        void run(Scene scene, End from, End to) throws Exception;
    }

    private final List<ConformanceCase> cases;
    private char group;

    /** Adds to a list. */
    public CaseList(List<ConformanceCase> cases) {
        this.cases = cases;
    }

    /** Says to which group the next ones belong. */
    public CaseList group(char letter) {
        group = letter;
        return this;
    }

    /** Adds a case. */
    public CaseList add(int id, String title, ConformanceCase.Body body, Capability... needs) {
        return add(id, title, ConformanceCase.DEFAULT_SECONDS, body, needs);
    }

    /** Adds a case that has another time. */
    public CaseList add(
            int id, String title, int seconds, ConformanceCase.Body body, Capability... needs) {
        cases.add(new ConformanceCase(id, group, title, Set.of(needs), seconds, body));
        return this;
    }

    /** Adds a case of two that have met. */
    public CaseList add(int id, String title, LinkBody body, Capability... needs) {
        return add(id, title, ConformanceCase.DEFAULT_SECONDS, body, needs);
    }

    /** Adds a case of two that have met, with another time. */
    public CaseList add(int id, String title, int seconds, LinkBody body, Capability... needs) {
        return add(id, title, seconds, scene -> body.run(scene, scene.link()), needs);
    }

    /** Adds a case that is played both ways. */
    public CaseList add(int id, String title, BothWaysBody body, Capability... needs) {
        return add(id, title, ConformanceCase.DEFAULT_SECONDS, body, needs);
    }

    /** Adds a case that is played both ways, with another time. */
    public CaseList add(int id, String title, int seconds, BothWaysBody body, Capability... needs) {
        LinkBody bothWays = (scene, link) -> link.bothWays((from, to) -> body.run(scene, from, to));
        return add(id, title, seconds, bothWays, needs);
    }
}
