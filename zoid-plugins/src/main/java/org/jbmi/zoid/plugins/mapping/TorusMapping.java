package org.jbmi.zoid.plugins.mapping;

import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.JobDescription;
import org.jbmi.zoid.forward.PluginServices;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Ranks go along X first, then Y, Z and T. The setting {@code mapping.sizes} gives the length of
 * each dimension, for example {@code 8x4x4x1}; without it all ranks of the job go along X.
 */
final class TorusMapping implements Mapping {
    private static final Pattern SIZES =
            Pattern.compile("([0-9]{1,5})x([0-9]{1,5})x([0-9]{1,5})x([0-9]{1,5})");
    private static final int INVALID = -22;
    private static final int NO_JOB = -3;

    private final PluginServices services;
    private final MappingPlace set;
    private volatile int jobSize;

    TorusMapping(PluginServices services) {
        this.services = services;
        String sizes = services.setting("mapping.sizes").orElse("0x0x0x0");
        Matcher found = SIZES.matcher(sizes);
        if (!found.matches()) {
            throw new IllegalArgumentException(
                    "mapping.sizes is like 8x4x4x1, and not " + sizes + ".");
        }
        this.set = new MappingPlace(part(found, 1), part(found, 2), part(found, 3), part(found, 4));
    }

    private static int part(Matcher found, int group) {
        return Integer.parseInt(found.group(group));
    }

    @Override
    public void init(JobDescription job) {
        jobSize = job.processCount();
    }

    private MappingPlace sizes() {
        if (set.x() > 0) {
            return set;
        }
        int size = services.jobSizeOf(services.callingProcess());
        return new MappingPlace(size > 0 ? size : jobSize, 1, 1, 1);
    }

    @Override
    public int dimensions(Cell<MappingPlace> sizes) {
        MappingPlace all = sizes();
        sizes.set(all);
        return all.x() > 0 ? 0 : NO_JOB;
    }

    @Override
    public int placeOf(int rank, Cell<MappingPlace> place) {
        MappingPlace all = sizes();
        long count = (long) all.x() * all.y() * all.z() * all.t();
        if (rank < 0 || rank >= count) {
            return INVALID;
        }
        int rest = rank / all.x();
        int z = rest / all.y();
        place.set(new MappingPlace(rank % all.x(), rest % all.y(), z % all.z(), z / all.z()));
        return 0;
    }

    @Override
    public int rankOf(MappingPlace place) {
        MappingPlace all = sizes();
        boolean inside =
                isInside(place.x(), all.x())
                        && isInside(place.y(), all.y())
                        && isInside(place.z(), all.z())
                        && isInside(place.t(), all.t());
        long rank =
                place.x()
                        + (long) all.x()
                                * (place.y()
                                        + (long) all.y()
                                                * (place.z() + (long) all.z() * place.t()));
        return inside && rank <= Integer.MAX_VALUE ? (int) rank : INVALID;
    }

    private static boolean isInside(int value, int size) {
        return value >= 0 && value < size;
    }
}
