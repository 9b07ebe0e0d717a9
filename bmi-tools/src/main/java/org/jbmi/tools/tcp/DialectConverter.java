package org.jbmi.tools.tcp;

import org.jbmi.tcp.wire.Dialect;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a dialect on the command line. */
public final class DialectConverter implements ITypeConverter<Dialect> {
    @Override
    public Dialect convert(String text) {
        try {
            return Dialect.ofLabel(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(
                    "\"" + text + "\" is neither standalone nor orangefs");
        }
    }
}
