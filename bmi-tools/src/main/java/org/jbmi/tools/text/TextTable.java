package org.jbmi.tools.text;

import java.util.ArrayList;
import java.util.List;

/** Rows of text, in columns as wide as their widest cell. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();
    private final boolean[] right;

    /**
     * Makes a table.
     *
     * @param alignment one letter per column: {@code r} right, {@code l} left
     * @param header one title per column
     */
    public TextTable(String alignment, String... header) {
        right = new boolean[alignment.length()];
        for (int i = 0; i < right.length; i++) {
            right[i] = alignment.charAt(i) == 'r';
        }
        row(header);
    }

    /** Adds a row. */
    public void row(String... cells) {
        if (cells.length != right.length) {
            throw new IllegalArgumentException(
                    cells.length + " cells for " + right.length + " columns.");
        }
        rows.add(List.of(cells));
    }

    /** {@return the rows as lines without trailing blanks, the header first} */
    public List<String> lines() {
        int[] widths = new int[right.length];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = row.get(i);
            String blanks = " ".repeat(widths[i] - cell.length());
            line.append(i == 0 ? "" : GAP);
            line.append(right[i] ? blanks + cell : cell + blanks);
        }
        return line.toString().stripTrailing();
    }
}
