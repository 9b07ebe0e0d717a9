package org.jbmi.testsuite.fault;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Loads the classes of a project anew, one of them with a fault; all others are its parent's. */
public final class PlantingLoader extends ClassLoader {
    private final Planted fault;
    private final String prefix;
    private final ClassLoader source;

    /**
     * A loader of the classes with a fault.
     *
     * @param fault to be planted
     * @param prefix with which the names of the classes begin that are loaded anew
     * @param parent where their code is found
     */
    public PlantingLoader(Planted fault, String prefix, ClassLoader parent) {
        super(parent);
        this.fault = fault;
        this.prefix = prefix;
        this.source = parent;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(prefix)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? define(name) : known;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(Planted.fileOf(name))) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] code = in.readAllBytes();
            return defineClass(name, code, 0, code.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** A loader that has this one as its source finds the class with the fault in it, too. */
    @Override
    public @Nullable InputStream getResourceAsStream(String file) {
        InputStream in = source.getResourceAsStream(file);
        if (in == null || !file.equals(Planted.fileOf(fault.type()))) {
            return in;
        }
        try (in) {
            return new ByteArrayInputStream(fault.plant(in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
