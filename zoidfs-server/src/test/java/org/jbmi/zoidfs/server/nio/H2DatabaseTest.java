package org.jbmi.zoidfs.server.nio;

import static org.assertj.core.api.Assertions.assertThat;

import org.h2.store.fs.FilePath;
import org.h2.tools.Recover;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Databases of H2 whose files are on a server; each must be what it is on the local disk. */
@Timeout(120)
class H2DatabaseTest extends ServedFiles {
    private static final int ROWS = 2_000;
    private static final String LONG_TEXT = "a text that H2 keeps outside of its row ".repeat(200);

    private FilePath served;

    @BeforeEach
    void register() throws IOException {
        served = new H2Path(files, "");
        FilePath.register(served);
        Files.createDirectory(path("/db"));
    }

    @AfterEach
    void unregister() {
        FilePath.unregister(served);
    }

    private static Connection open(String database) throws SQLException {
        return DriverManager.getConnection("jdbc:h2:" + database + ";DB_CLOSE_ON_EXIT=FALSE");
    }

    private String onServer(String name) {
        return H2Path.SCHEME + ":/db/" + name;
    }

    private String onDisk(String name) {
        return folder.resolve(name).toString();
    }

    private static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** All that a database holds, as the statements that would make it again. */
    private static List<String> script(Connection connection) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SCRIPT NOPASSWORDS NOSETTINGS")) {
            while (rows.next()) {
                lines.add(rows.getString(1));
            }
        }
        return lines;
    }

    private static void fill(Connection connection) throws SQLException {
        execute(
                connection,
                "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR, amount BIGINT, note CLOB)",
                "CREATE INDEX by_name ON item (name)");
        connection.setAutoCommit(false);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?, ?)")) {
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setString(2, "item " + i % 97);
                insert.setLong(3, (long) i * i);
                insert.setString(4, i % 100 == 0 ? LONG_TEXT + i : null);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        connection.commit();
        execute(
                connection,
                "UPDATE item SET amount = amount + 1 WHERE name = 'item 5'",
                "DELETE FROM item WHERE id BETWEEN 300 AND 499",
                "ALTER TABLE item ADD COLUMN made DATE DEFAULT DATE '2020-02-02'");
        connection.commit();
        connection.setAutoCommit(true);
    }

    @Test
    void aDatabaseIsWhatItIsOnTheLocalDisk() throws Exception {
        List<String> expected;
        try (Connection disk = open(onDisk("same"))) {
            fill(disk);
            expected = script(disk);
        }
        try (Connection far = open(onServer("same"))) {
            fill(far);
            assertThat(script(far)).isEqualTo(expected);
        }
        assertThat(local("db/same.mv.db")).isNotEmptyFile();
        try (Connection again = open(onServer("same") + ";IFEXISTS=TRUE")) {
            assertThat(script(again)).isEqualTo(expected);
            // Writes the database anew beside the old file, and moves that in its place.
            execute(again, "SHUTDOWN COMPACT");
        }
        try (Connection compact = open(onServer("same") + ";IFEXISTS=TRUE")) {
            assertThat(script(compact)).isEqualTo(expected);
        }
        // The file is one that H2 takes without a server, too.
        Files.copy(path("/db/same.mv.db"), folder.resolve("copied.mv.db"));
        try (Connection copied = open(onDisk("copied") + ";IFEXISTS=TRUE")) {
            assertThat(script(copied)).isEqualTo(expected);
        }
    }

    @Test
    void aDatabaseThatWasNotClosedHasWhatWasCommitted() throws Exception {
        Connection first = open(onServer("broken"));
        fill(first);
        List<String> committed = script(first);
        execute(first, "CHECKPOINT SYNC");
        first.setAutoCommit(false);
        execute(first, "DELETE FROM item");
        try {
            execute(first, "SHUTDOWN IMMEDIATELY");
            first.close();
        } catch (SQLException e) {
            // The connection goes with its database.
        }
        try (Connection again = open(onServer("broken") + ";IFEXISTS=TRUE")) {
            assertThat(script(again)).isEqualTo(committed);
        }
        Recover.execute(H2Path.SCHEME + ":/db", "broken");
        assertThat(local("db/broken.h2.sql")).isNotEmptyFile();
    }

    @Test
    void backupsAndScriptsAreFilesOfTheServer() throws Exception {
        List<String> expected;
        try (Connection first = open(onServer("first"))) {
            fill(first);
            expected = script(first);
            execute(
                    first,
                    "BACKUP TO '" + onServer("backup.zip") + "'",
                    "SCRIPT NOPASSWORDS TO '" + onServer("all.sql") + "'");
        }
        assertThat(local("db/backup.zip")).isNotEmptyFile();
        try (Connection second = open(onServer("second"))) {
            execute(second, "RUNSCRIPT FROM '" + onServer("all.sql") + "'");
            assertThat(script(second)).isEqualTo(expected);
        }
    }
}
