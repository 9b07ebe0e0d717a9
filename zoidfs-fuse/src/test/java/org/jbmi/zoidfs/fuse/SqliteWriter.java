package org.jbmi.zoidfs.fuse;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Writes rows into a database beside others that do the same, or counts them. */
final class SqliteWriter {
    private static final int BUSY_MS = 60_000;

    private SqliteWriter() {}

    /** The file, a name and how many rows; or the file alone. */
    public static void main(String[] arguments) throws SQLException {
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + arguments[0]);
                Statement statement = database.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + BUSY_MS);
            statement.execute("CREATE TABLE IF NOT EXISTS rows (writer TEXT, number INTEGER)");
            if (arguments.length > 1) {
                write(database, arguments[1], Integer.parseInt(arguments[2]));
                return;
            }
            try (ResultSet count = statement.executeQuery("SELECT count(*) FROM rows")) {
                System.out.println("rows " + count.getInt(1));
            }
            try (ResultSet check = statement.executeQuery("PRAGMA integrity_check")) {
                System.out.println("integrity " + check.getString(1));
            }
        }
    }

    private static void write(Connection database, String name, int rows) throws SQLException {
        String sql = "INSERT INTO rows VALUES (?, ?)";
        for (int i = 0; i < rows; i++) {
            try (PreparedStatement insert = database.prepareStatement(sql)) {
                insert.setString(1, name);
                insert.setInt(2, i);
                insert.executeUpdate();
            }
        }
    }
}
