package org.jbmi.testsuite.fault;

import java.io.IOException;
import java.io.InputStream;

/** Loads the classes of a project anew, one of them with a fault; all others are its parent's. */
public final class PlantingLoader extends ClassLoader {
    private final Planted fault;
    private final String prefix;
    private final ClassLoader source;

    /**
     * A loader of a world with a fault.
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
        String file = name.replace('.', '/') + ".class";
        try (InputStream in = source.getResourceAsStream(file)) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] code = in.readAllBytes();
            byte[] used = name.equals(fault.type()) ? fault.plant(code) : code;
            return defineClass(name, used, 0, used.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
