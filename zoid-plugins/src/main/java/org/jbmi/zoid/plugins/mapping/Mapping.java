package org.jbmi.zoid.plugins.mapping;

import org.jbmi.shipper.codec.Shipped;
import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.In;
import org.jbmi.zoid.forward.Out;
import org.jbmi.zoid.forward.PluginLifecycle;
import org.jbmi.zoid.forward.ZoidPlugin;

/** The functions of mapping.h. */
@ZoidPlugin(id = 5, name = "mapping")
public interface Mapping extends PluginLifecycle {
    /** {@code int mapping_dimensions(mapping_place_t *sizes)} */
    int dimensions(@Out Cell<MappingPlace> sizes);

    /** {@code int mapping_place_of(int rank, mapping_place_t *place)} */
    int placeOf(int rank, @Out Cell<MappingPlace> place);

    /** {@code int mapping_rank_of(mapping_place_t *place)} */
    int rankOf(@In MappingPlace place);

    /** A structure of the header. */
    @Shipped
    record MappingPlace(int x, int y, int z, int t) {}
}
