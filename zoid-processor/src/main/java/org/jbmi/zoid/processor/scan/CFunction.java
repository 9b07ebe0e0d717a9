package org.jbmi.zoid.processor.scan;

import org.jbmi.zoid.processor.model.Hints;

import java.util.List;

/**
 * A prototype.
 *
 * @param result what it returns
 * @param name its name
 * @param parameters what it takes
 * @param line where it stands
 */
record CFunction(CType result, String name, List<CParameter> parameters, int line) {

    /**
     * A parameter of a prototype.
     *
     * @param type its type
     * @param name its name
     * @param hints what the comment behind it says
     * @param hintsAsWritten that comment, empty if there is none
     * @param line where it stands
     */
    record CParameter(CType type, String name, Hints hints, String hintsAsWritten, int line) {}
}
