package org.jbmi.zoidfs.nio;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * The two parts of a URI of a file. The URI is {@code zoidfs://HOST:PORT/PATH} for a server on tcp.
 * It is {@code zoidfs:ADDRESS/PATH} with the address of any method, such as {@code
 * zoidfs:zoid:///PATH}.
 *
 * @param address the server's, as {@link org.jbmi.Bmi#lookup} takes it
 * @param path of the file, from the root of the export
 */
record ServerAddress(String address, String path) {
    static final String SCHEME = "zoidfs";
    private static final String TCP = "tcp://";
    private static final String SEPARATOR = "://";

    static ServerAddress of(URI uri) {
        if (!SCHEME.equalsIgnoreCase(uri.getScheme())) {
            throw new IllegalArgumentException(uri + " is not a zoidfs URI");
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException(uri + " has a query or a fragment");
        }
        if (!uri.isOpaque()) {
            String authority = uri.getAuthority();
            if (authority == null || uri.getUserInfo() != null) {
                throw malformed(uri);
            }
            return new ServerAddress(TCP + authority, rootIfEmpty(uri.getPath()));
        }
        String rest = uri.getSchemeSpecificPart();
        int separator = rest.indexOf(SEPARATOR);
        if (separator < 1) {
            throw malformed(uri);
        }
        int slash = rest.indexOf('/', separator + SEPARATOR.length());
        String address = slash < 0 ? rest : rest.substring(0, slash);
        return new ServerAddress(address, slash < 0 ? "/" : rest.substring(slash));
    }

    private static String rootIfEmpty(String path) {
        return path.isEmpty() ? "/" : path;
    }

    private static IllegalArgumentException malformed(URI uri) {
        return new IllegalArgumentException(
                uri
                        + " names no server: it looks like zoidfs://HOST:PORT/PATH or"
                        + " zoidfs:zoid:///PATH");
    }

    URI toUri() {
        try {
            return address.startsWith(TCP)
                    ? new URI(SCHEME, address.substring(TCP.length()), path, null, null)
                    : new URI(SCHEME, address + path, null);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("The address is part of no URI: " + address, e);
        }
    }
}
