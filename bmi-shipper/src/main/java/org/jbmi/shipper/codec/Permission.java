package org.jbmi.shipper.codec;

/** What servers may do with exposed memory. */
public enum Permission {
    /** They may pull from it. */
    READ(1),
    /** They may push into it. */
    WRITE(2),
    /** Both. */
    READ_WRITE(3);

    private final int bits;

    Permission(int bits) {
        this.bits = bits;
    }

    /**
     * As it travels.
     *
     * @return 1, 2 or 3
     */
    public int bits() {
        return bits;
    }

    /**
     * Finds a permission by what travels.
     *
     * @param bits 1, 2 or 3
     * @return the permission
     * @throws MalformedException for other numbers
     */
    public static Permission ofBits(int bits) {
        return switch (bits) {
            case 1 -> READ;
            case 2 -> WRITE;
            case 3 -> READ_WRITE;
            default -> throw new MalformedException("The permission " + bits + " does not exist.");
        };
    }

    /**
     * Whether everything that another permission allows is allowed.
     *
     * @param other what is wanted
     * @return true if it is
     */
    public boolean allows(Permission other) {
        return (bits & other.bits) == other.bits;
    }
}
