package org.jbmi.rig.perf.command;

import org.jbmi.rig.perf.CpuPlacement;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.WaitMode;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.ArrayList;
import java.util.List;

/** Reads the words of the command line. */
final class PerfWords {
    private PerfWords() {}

    /** Finds an enum constant by the word that it prints. */
    private static <E extends Enum<E>> E named(E[] constants, String word) {
        List<String> words = new ArrayList<>();
        for (E constant : constants) {
            if (constant.toString().equals(word)) {
                return constant;
            }
            words.add(constant.toString());
        }
        throw new TypeConversionException(
                "it is one of " + String.join(", ", words) + ", not '" + word + "'");
    }

    /** Reads the word for a {@link Pattern}. */
    static final class PatternConverter implements ITypeConverter<Pattern> {
        @Override
        public Pattern convert(String word) {
            return named(Pattern.values(), word);
        }
    }

    /** Reads the word for a {@link WaitMode}. */
    static final class WaitConverter implements ITypeConverter<WaitMode> {
        @Override
        public WaitMode convert(String word) {
            return named(WaitMode.values(), word);
        }
    }

    /** Reads the word for a {@link CpuPlacement}. */
    static final class CpusConverter implements ITypeConverter<CpuPlacement> {
        @Override
        public CpuPlacement convert(String word) {
            return named(CpuPlacement.values(), word);
        }
    }

    /** Reads the word for what a table goes by. */
    static final class ByConverter implements ITypeConverter<TableOptions.By> {
        @Override
        public TableOptions.By convert(String word) {
            return named(TableOptions.By.values(), word);
        }
    }

    /** Reads sizes. */
    static final class SizesConverter implements ITypeConverter<ByteSizes> {
        @Override
        public ByteSizes convert(String text) {
            try {
                return ByteSizes.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
