package org.jbmi.scripted;

import org.jbmi.Option;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;

import java.util.List;

/** Scripted methods, one for each way to sleep, and one that cannot be used. */
public abstract class ScriptedProvider implements MethodProvider {
    /** Two options of the plain method; nobody knows what they mean. */
    public static final Option<Integer> NUMBER =
            new Option<>("TEST_NUMBER", Integer.class, 16, 17, true, true);

    public static final Option<Boolean> FLAG =
            new Option<>("TEST_FLAG", Boolean.class, 8, 8, true, false);

    private final String scheme;
    private final ScriptedBed.Kind kind;
    private final MethodLimits limits;

    private ScriptedProvider(String scheme, ScriptedBed.Kind kind, MethodLimits limits) {
        this.scheme = scheme;
        this.kind = kind;
        this.limits = limits;
    }

    /** The one most tests use; needs progress, sleeps locally. */
    public static final class Plain extends ScriptedProvider {
        public Plain() {
            super("test", ScriptedBed.Kind.ANYWHERE, new MethodLimits(1 << 20, 4096, 0, 64));
        }

        @Override
        public List<Option<?>> options() {
            return List.of(NUMBER, FLAG);
        }
    }

    /** A method whose peers do all the work. */
    public static final class Local extends ScriptedProvider {
        public Local() {
            super("local", ScriptedBed.Kind.ANYWHERE, new MethodLimits(1 << 16, 1024, 0, 8));
        }
    }

    /** Sleeps on a word. */
    public static final class Word extends ScriptedProvider {
        public Word() {
            super("word", ScriptedBed.Kind.WORD, new MethodLimits(1 << 18, 2048, 0, 8));
        }
    }

    /** Another that sleeps on a word. */
    public static final class Word2 extends ScriptedProvider {
        public Word2() {
            super("word2", ScriptedBed.Kind.WORD, new MethodLimits(1 << 18, 2048, 0, 8));
        }
    }

    /** Sleeps on a word; while the lead sleeps elsewhere another thread makes its progress. */
    public static final class Kept extends ScriptedProvider {
        public Kept() {
            super("kept", ScriptedBed.Kind.KEPT, new MethodLimits(1 << 18, 2048, 0, 8));
        }
    }

    /** Sleeps in a selector. */
    public static final class Selector extends ScriptedProvider {
        public Selector() {
            super("selector", ScriptedBed.Kind.CHANNEL, new MethodLimits(1 << 18, 2048, 0, 8));
        }
    }

    /** Sleeps in a selector of its own. */
    public static final class Owner extends ScriptedProvider {
        public Owner() {
            super("owner", ScriptedBed.Kind.SELECTOR, new MethodLimits(1 << 18, 2048, 0, 8));
        }
    }

    /** Another that sleeps in a selector of its own. */
    public static final class Owner2 extends ScriptedProvider {
        public Owner2() {
            super("owner2", ScriptedBed.Kind.SELECTOR, new MethodLimits(1 << 18, 2048, 0, 8));
        }
    }

    /** Not available anywhere. */
    public static final class Absent extends ScriptedProvider {
        public Absent() {
            super("absent", ScriptedBed.Kind.ANYWHERE, new MethodLimits(1, 1, 0, 1));
        }

        @Override
        public Availability availability() {
            return Availability.unavailable("Nobody has built it.");
        }
    }

    @Override
    public String scheme() {
        return scheme;
    }

    @Override
    public Availability availability() {
        return Availability.AVAILABLE;
    }

    @Override
    public List<Knob<?>> knobs() {
        return List.of(Knob.number(scheme + ".answer", "", 42, 0, 100, "A number for tests."));
    }

    @Override
    public MethodLimits limits(Configuration configuration) {
        return limits;
    }

    @Override
    public Method open(MethodHost host, List<String> listenAddresses) {
        Script attached = host.attachment(Script.class);
        Script script = attached == null ? new Script() : attached;
        ScriptedMethod method =
                new ScriptedMethod(scheme, kind, limits, host, script, listenAddresses);
        script.onOpen.accept(method);
        script.opened(method);
        return method;
    }
}
