package org.jbmi.testsuite.example;

import org.jbmi.BmiBuilder;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.MethodFixture;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Environments of the method {@code note}: a board each. */
public class NoteFixture implements MethodFixture {
    @Override
    public String name() {
        return "note";
    }

    @Override
    public String scheme() {
        return "note";
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.UNEXPECTED_TO_CLIENT, Capability.LIST_LIMIT);
    }

    @Override
    public Environment open(EnvironmentSettings settings) {
        return new BoardEnvironment(settings);
    }

    /** Changes every builder of an environment. */
    void prepare(BmiBuilder builder) {}

    @Override
    public List<String> malformedAddresses() {
        return List.of("note:", "note://", "note://Ä", "note://a/b", "note:///a");
    }

    private final class BoardEnvironment implements Environment {
        private final Board board = new Board();
        private final EnvironmentSettings settings;

        BoardEnvironment(EnvironmentSettings settings) {
            this.settings = settings;
        }

        @Override
        public BmiBuilder extend(BmiBuilder builder) {
            builder.attach(Board.class, board);
            knob(builder, "note.maxExpectedBytes", settings.maxExpectedBytes());
            knob(builder, "note.maxUnexpectedBytes", settings.maxUnexpectedBytes());
            prepare(builder);
            return builder;
        }

        private static void knob(BmiBuilder builder, String name, long value) {
            if (value != 0) {
                builder.knob(name, Long.toString(value));
            }
        }

        @Override
        public String serverAddress(int number) {
            return "note://server-" + number;
        }

        @Override
        public void close() {}

        @Override
        public List<String> leftovers() {
            return board.size() == 0 ? List.of() : List.of(board.size() + " members");
        }
    }
}
