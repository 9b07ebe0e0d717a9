package org.jbmi.zoidfs.fuse;

import org.cryptomator.jfuse.api.DirFiller;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The names of a directory on their way to the kernel. */
final class ListedNames {
    /**
     * How many names of a directory to keep until all are known. Some threads list at a time, and a
     * mount ends when its memory does.
     */
    static final int MAX_NAMES = 1 << 16;

    private final DirFiller filler;
    private final List<String> kept = new ArrayList<>();
    private boolean areSomeTold;

    ListedNames(DirFiller filler) {
        this.filler = filler;
    }

    /** Begins with a directory; false if the kernel knows names of another one. */
    boolean begin() {
        kept.clear();
        return !areSomeTold;
    }

    void add(String name) throws IOException {
        kept.add(name);
        if (kept.size() == MAX_NAMES) {
            tell();
        }
    }

    void tell() throws IOException {
        areSomeTold = true;
        for (String name : kept) {
            filler.fill(name);
        }
        kept.clear();
    }
}
