package org.jbmi.zoid.daemon.plugin;

import org.jbmi.zoid.forward.PluginProvider;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * A plug-in that may be opened.
 *
 * @param provider what opens it
 * @param origin the file that it came from; empty for the class path
 * @param code what has loaded its classes; null for the class path
 */
record Found(PluginProvider provider, String origin, @Nullable URLClassLoader code) {
    /**
     * Finds a plug-in on the class path.
     *
     * @throws IllegalArgumentException if there is none of that name; the message names the others
     */
    static Found among(Iterable<PluginProvider> providers, String name) {
        List<String> known = new ArrayList<>();
        PluginProvider found = null;
        for (PluginProvider each : providers) {
            known.add(each.name());
            if (each.name().equals(name)) {
                found = each;
            }
        }
        if (found == null) {
            throw none(name, "", known);
        }
        return new Found(found, "", null);
    }

    /**
     * Finds a plug-in in a jar or a folder of classes, in a new class loader each time.
     *
     * @throws IllegalArgumentException if there is no such file, or no plug-in of that name in it
     */
    static Found in(Path file, String name) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("There is no file " + file + " to be read.");
        }
        List<String> known = new ArrayList<>();
        URLClassLoader code = new URLClassLoader(new URL[] {url(file)}, parent());
        try {
            for (PluginProvider each : ServiceLoader.load(PluginProvider.class, code)) {
                boolean own = code.equals(each.getClass().getClassLoader());
                if (own && each.name().equals(name)) {
                    return new Found(each, file.toString(), code);
                }
                if (own) {
                    known.add(each.name());
                }
            }
            throw none(name, " in " + file, known);
        } catch (Exception | Error e) { // an undeclared exception of name(), for example
            close(code);
            throw e;
        }
    }

    private static ClassLoader parent() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context == null ? Found.class.getClassLoader() : context;
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException("No classes can be loaded from " + file + ".", e);
        }
    }

    private static IllegalArgumentException none(String name, String where, List<String> known) {
        return new IllegalArgumentException(
                "There is no plug-in '%s'%s. There %s."
                        .formatted(
                                name,
                                where,
                                known.isEmpty() ? "are none" : "are: " + String.join(", ", known)));
    }

    /** Closes the class loader. */
    void drop() {
        if (code != null) {
            close(code);
        }
    }

    private static void close(URLClassLoader code) {
        try {
            code.close();
        } catch (IOException e) {
            System.getLogger("org.jbmi").log(System.Logger.Level.DEBUG, "plug-in", e);
        }
    }
}
