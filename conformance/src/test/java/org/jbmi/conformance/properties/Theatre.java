package org.jbmi.conformance.properties;

import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.MethodFixture;
import org.jbmi.testsuite.model.Player;
import org.jbmi.testsuite.model.Stage;
import org.jbmi.testsuite.model.Step;

import java.util.ArrayList;
import java.util.List;

/** One or several methods that play the same program at the same time. */
final class Theatre implements AutoCloseable {
    private static final int CLIENTS = 2;

    private final List<Stage> stages = new ArrayList<>();
    private final List<Player> players = new ArrayList<>();

    Theatre(List<MethodFixture> fixtures, EnvironmentSettings settings) {
        boolean failed = true;
        try {
            for (MethodFixture fixture : fixtures) {
                stages.add(new Stage(fixture, settings, CLIENTS));
            }
            failed = false;
        } finally {
            if (failed) {
                close();
            }
        }
        boolean cancelsSends = stages.stream().noneMatch(Stage::sendsAreLocal);
        stages.forEach(stage -> players.add(new Player(stage, cancelsSends)));
    }

    /** Cancel steps and deadlines end receives only. */
    Theatre withoutCancelOfSends() {
        players.forEach(Player::keepSends);
        return this;
    }

    /** Operations may wait until memory is freed. */
    Theatre withShortMemory() {
        players.forEach(Player::memoryIsShort);
        return this;
    }

    void play(Step step) {
        players.forEach(player -> player.play(step));
    }

    /** All end as the model says, so all in the same way. */
    void finish() {
        players.forEach(Player::finish);
    }

    @Override
    public void close() {
        closeFrom(0);
    }

    private void closeFrom(int first) {
        if (first < stages.size()) {
            try {
                stages.get(first).close();
            } finally {
                closeFrom(first + 1);
            }
        }
    }
}
