package org.jbmi.zoid.processor.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/** The rules for the hints of a function. */
public final class HintRules {
    private final List<Parameter> parameters;
    private final List<Finding> findings = new ArrayList<>();

    private HintRules(List<Parameter> parameters) {
        this.parameters = parameters;
    }

    /**
     * Checks the hints of all parameters of a function.
     *
     * @param parameters all of them, in order
     * @return what is wrong with them, in order; empty if nothing is
     */
    public static List<Finding> check(List<Parameter> parameters) {
        HintRules rules = new HintRules(parameters);
        for (int i = 0; i < parameters.size(); i++) {
            rules.checkOne(i, parameters.get(i));
        }
        rules.checkZeroCopies();
        return rules.findings.stream().sorted(Comparator.comparingInt(Finding::parameter)).toList();
    }

    /**
     * Finds the size parameter of an array.
     *
     * @param parameters all of the function's
     * @param array the index of the array, from 0 on
     * @return the index of its size parameter, from 0 on; empty if there is no such parameter
     */
    public static OptionalInt sizeOf(List<Parameter> parameters, int array) {
        String size = parameters.get(array).hints().size();
        if (size == null) {
            return OptionalInt.empty();
        }
        int index =
                size.matches("[+-]?[0-9]{1,4}") ? position(size, array) : named(parameters, size);
        boolean exists = index >= 0 && index < parameters.size();
        return exists ? OptionalInt.of(index) : OptionalInt.empty();
    }

    private static int position(String size, int array) {
        boolean relative = size.startsWith("+") || size.startsWith("-");
        int number = Integer.parseInt(size);
        return relative ? array + number : number - 1;
    }

    private static int named(List<Parameter> parameters, String name) {
        for (int i = 0; i < parameters.size(); i++) {
            if (parameters.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    private void checkOne(int index, Parameter parameter) {
        Hints hints = parameter.hints();
        if (parameter.values().holdsAddresses()) {
            add(index, "A structure with addresses in it cannot be forwarded.");
        }
        if (hints.shape() == Shape.OBJ) {
            if (hints.direction() != Direction.IN) {
                add(index, "A value that is passed as it is can only go in; pass a ptr.");
            }
            if (hints.nullOk()) {
                add(index, "nullok is for what is passed by address, and not for an obj.");
            }
        }
        if (hints.shape().isArray()) {
            checkSize(index, parameter);
        } else {
            if (hints.size() != null) {
                add(index, "size is for arrays only (arr, arr2d).");
            }
            if (hints.zeroCopy()) {
                add(index, "zerocopy is for arrays only (arr, arr2d).");
            }
        }
        if (hints.userBuffer()) {
            checkUserBuffer(index, parameter);
        }
    }

    private void checkSize(int index, Parameter array) {
        String written = array.hints().size();
        if (written == null) {
            add(index, "An array needs the hint size: which parameter says how large it is?");
            return;
        }
        OptionalInt found = sizeOf(parameters, index);
        if (found.isEmpty()) {
            add(
                    index,
                    "size="
                            + written
                            + " names no parameter; there are "
                            + parameters.size()
                            + ".");
            return;
        }
        if (found.getAsInt() == index) {
            add(index, "size=" + written + " names the array itself.");
            return;
        }
        Parameter size = parameters.get(found.getAsInt());
        Shape shape = size.hints().shape();
        boolean fits =
                array.hints().shape() == Shape.ARR2D
                        ? shape == Shape.ARR
                        : shape == Shape.OBJ || shape == Shape.PTR;
        if (!fits || !size.values().countable()) {
            add(
                    index,
                    array.hints().shape() == Shape.ARR2D
                            ? "The size of an arr2d must be an arr of whole numbers, and '"
                                    + size.name()
                                    + "' is none."
                            : "The size of an arr must be a whole number or the address of one, and"
                                    + " '"
                                    + size.name()
                                    + "' is neither.");
        } else if (size.hints().nullOk()) {
            add(index, "The size '" + size.name() + "' must not be nullok.");
        } else if (!size.hints().direction().goesIn()) {
            add(
                    index,
                    "The size '" + size.name() + "' must go in: the caller says how large it is.");
        }
    }

    private void checkUserBuffer(int index, Parameter parameter) {
        Hints hints = parameter.hints();
        if (!hints.zeroCopy() || hints.shape() != Shape.ARR) {
            add(index, "userbuf is for an arr with zerocopy only.");
        } else if (hints.direction() == Direction.INOUT) {
            add(index, "A userbuf goes in or comes out, and not both.");
        } else if (hints.direction() == Direction.IN && parameter.values().bytes() != 1) {
            add(index, "A userbuf that goes in must have elements of one byte.");
        }
    }

    private void checkZeroCopies() {
        boolean in = false;
        boolean out = false;
        for (int i = 0; i < parameters.size(); i++) {
            Hints hints = parameters.get(i).hints();
            if (!hints.zeroCopy() || !hints.shape().isArray()) {
                continue;
            }
            if (hints.direction().goesIn()) {
                if (in) {
                    add(i, "A function has at most one zerocopy array that goes in.");
                }
                in = true;
            }
            if (hints.direction().comesOut()) {
                if (out) {
                    add(i, "A function has at most one zerocopy array that comes out.");
                }
                out = true;
            }
        }
    }

    private void add(int parameter, String sentence) {
        findings.add(new Finding(parameter, sentence));
    }
}
