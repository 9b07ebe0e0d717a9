package org.jbmi.shipper.server;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.pump.Pump;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.NumberTable;
import org.jspecify.annotations.Nullable;

import java.util.function.ToLongFunction;

/** The functions of a server, by the numbers of their names. */
public final class Functions {
    private final Pump pump;
    private final ToLongFunction<String> numberOf;

    /** Guarded by the pump's lock. */
    private final NumberTable<Served> byNumber = new NumberTable<>();

    Functions(Pump pump) {
        this(pump, Wire::hash);
    }

    /** For tests with other numbers for names. */
    Functions(Pump pump, ToLongFunction<String> numberOf) {
        this.pump = pump;
        this.numberOf = numberOf;
    }

    /**
     * Offers a function.
     *
     * @throws BmiException with {@link ErrorCode#EEXIST} if there is one of that name, or one whose
     *     name has the same number
     */
    public void register(Served function) {
        long number = numberOf.applyAsLong(function.name());
        try (var _ = pump.held()) {
            Served before = byNumber.get(number);
            if (before != null) {
                throw new BmiException(
                        ErrorCode.EEXIST,
                        before.name().equals(function.name())
                                ? "The function " + function.name() + " is registered already."
                                : "The names %s and %s have the same number: choose another one."
                                        .formatted(before.name(), function.name()));
            }
            byNumber.put(number, function);
        }
    }

    /** Removes a function. Calls of it that are under way go on. */
    public boolean unregister(String name) {
        long number = numberOf.applyAsLong(name);
        try (var _ = pump.held()) {
            return byNumber.remove(number) != null;
        }
    }

    /** Finds one; under the lock. */
    @Nullable Served find(long number) {
        return byNumber.get(number);
    }
}
