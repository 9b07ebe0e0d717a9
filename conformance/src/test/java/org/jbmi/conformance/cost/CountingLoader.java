package org.jbmi.conformance.cost;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Loads the classes of the project anew, and those of JCTools, so that they tell {@link Counts}
 * what they do. Everything else is the parent's, the counts among them.
 */
final class CountingLoader extends ClassLoader {
    private final ClassLoader source;
    private final Map<String, Set<String>> volatiles = new HashMap<>();

    CountingLoader(ClassLoader parent) {
        super(parent);
        source = parent;
    }

    static boolean isCounted(String name) {
        return (name.startsWith("org.jbmi.") || name.startsWith("org.jctools."))
                && !name.equals(Counts.class.getName())
                && !name.equals(Cost.class.getName());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isCounted(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? define(name) : known;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] code = new CountingCode(this, name).rewrite(read(name));
        return defineClass(name, code, 0, code.length);
    }

    private byte[] read(String name) throws ClassNotFoundException {
        try (InputStream in = source.getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** Whether a store to a field is volatile; the field may be one that the class inherits. */
    boolean isVolatile(String type, String field) {
        String owner = type;
        while (isCounted(owner)) {
            ClassModel model;
            try {
                model = ClassFile.of().parse(read(owner));
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
            if (volatilesOf(owner, model).contains(field)) {
                return true;
            }
            owner =
                    model.superclass()
                            .map(each -> each.asInternalName().replace('/', '.'))
                            .orElse("java.lang.Object");
        }
        return false;
    }

    private synchronized Set<String> volatilesOf(String owner, ClassModel model) {
        return volatiles.computeIfAbsent(
                owner,
                any -> {
                    Set<String> names = new HashSet<>();
                    for (FieldModel field : model.fields()) {
                        if ((field.flags().flagsMask() & ClassFile.ACC_VOLATILE) != 0) {
                            names.add(field.fieldName().stringValue());
                        }
                    }
                    return names;
                });
    }
}
