package org.jbmi.core.peer;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.core.waiting.Arguments;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The elements of an address, separated by commas: each begins with a scheme. A part without a
 * scheme belongs to the element before it.
 */
public final class AddressList {
    private static final String AFTER_SCHEME = "://";

    private final String address;
    private final List<String> elements = new ArrayList<>();
    private final List<String> schemes = new ArrayList<>();

    private AddressList(String address) {
        this.address = address;
    }

    /** Splits an address; one without a scheme is refused. */
    public static AddressList of(String address) {
        AddressList list = new AddressList(address);
        for (String part : address.split(",", -1)) {
            list.add(part);
        }
        return list;
    }

    /**
     * The scheme of an address: the text before the colon, up to a hyphen that begins a zone; null
     * if there is none.
     */
    public static @Nullable String schemeOf(String address) {
        int colon = address.indexOf(':');
        int hyphen = address.indexOf('-');
        int end = hyphen > 0 && hyphen < colon ? hyphen : colon;
        return end <= 0 ? null : address.substring(0, end);
    }

    /** The scheme of a listen address, which is no list; others are refused. */
    public static String schemeOfOne(String address) {
        String scheme = schemeOf(address);
        if (scheme == null) {
            throw Arguments.invalid(
                    "The listen address \""
                            + address
                            + "\" has no scheme; it begins with one, as in zoid://.");
        }
        if (of(address).elements.size() > 1) {
            throw Arguments.invalid(
                    "The listen address \""
                            + address
                            + "\" is a list; give each address by itself.");
        }
        return scheme;
    }

    private void add(String part) {
        if (!elements.isEmpty() && !part.contains(AFTER_SCHEME)) {
            elements.add(elements.removeLast() + "," + part);
            return;
        }
        String element = elements.isEmpty() ? part : part.strip();
        String scheme = schemeOf(element);
        if (scheme == null) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT,
                    "The address \""
                            + address
                            + "\" has no scheme; it begins with one, as in zoid://.");
        }
        elements.add(element);
        schemes.add(scheme);
    }

    /** The scheme of each element. */
    public List<String> schemes() {
        return schemes;
    }

    /** The part of the address that a method gets: the elements of its scheme, in order. */
    public String ofScheme(String scheme) {
        List<String> own = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            if (schemes.get(i).equals(scheme)) {
                own.add(elements.get(i));
            }
        }
        return own.size() == elements.size() ? address : String.join(",", own);
    }
}
