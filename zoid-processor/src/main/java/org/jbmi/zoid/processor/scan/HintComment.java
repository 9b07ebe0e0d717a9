package org.jbmi.zoid.processor.scan;

import org.jbmi.zoid.processor.model.Direction;
import org.jbmi.zoid.processor.model.Hints;
import org.jbmi.zoid.processor.model.Shape;
import org.jspecify.annotations.Nullable;

import java.util.Locale;

/** Reads the comment behind a parameter: {@code in:arr:size=+1:zerocopy}. */
final class HintComment {
    private final int line;
    private final Problems problems;
    private @Nullable Direction direction;
    private @Nullable Shape shape;
    private @Nullable String size;
    private boolean nullOk;
    private boolean zeroCopy;
    private boolean userBuffer;

    private HintComment(int line, Problems problems) {
        this.line = line;
        this.problems = problems;
    }

    static Hints parse(String comment, int line, Problems problems) {
        HintComment hints = new HintComment(line, problems);
        if (!comment.isEmpty()) {
            for (String hint : comment.split(":", -1)) {
                hints.take(hint.strip());
            }
        }
        return new Hints(
                hints.direction == null ? Direction.IN : hints.direction,
                hints.shape == null ? Shape.OBJ : hints.shape,
                hints.size,
                hints.nullOk,
                hints.zeroCopy,
                hints.userBuffer);
    }

    private void take(String hint) {
        switch (hint) {
            case "in", "out", "inout" -> {
                if (direction != null) {
                    problems.add(line, "Two directions: '" + hint + "' beside another one.");
                }
                direction = Direction.valueOf(hint.toUpperCase(Locale.ROOT));
            }
            case "obj", "str", "ptr", "arr", "arr2d" -> {
                if (shape != null) {
                    problems.add(line, "Two kinds: '" + hint + "' beside another one.");
                }
                shape = Shape.valueOf(hint.toUpperCase(Locale.ROOT));
            }
            case "nullok" -> nullOk = once(nullOk, hint);
            case "zerocopy" -> zeroCopy = once(zeroCopy, hint);
            case "userbuf" -> userBuffer = once(userBuffer, hint);
            default -> other(hint);
        }
    }

    private void other(String hint) {
        if (hint.matches("size\\s*=\\s*[+-]?[0-9]{1,4}")) {
            once(size != null, "size");
            size = hint.substring(hint.indexOf('=') + 1).strip();
        } else if (hint.startsWith("size")) {
            problems.add(line, "'" + hint + "' must be size=N, size=+N or size=-N.");
        } else {
            problems.add(
                    line,
                    "'"
                            + hint
                            + "' is no hint; there are in, out, inout, obj, str, ptr, arr, arr2d,"
                            + " size, nullok, zerocopy and userbuf.");
        }
    }

    private boolean once(boolean before, String hint) {
        if (before) {
            problems.add(line, "The hint " + hint + " is there twice.");
        }
        return true;
    }
}
