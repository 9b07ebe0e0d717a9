/* The plug-in "mapping": ranks of a job as places X, Y, Z and T, and back. */
#ifndef ZOID_MAPPING_H
#define ZOID_MAPPING_H

typedef struct {
    int x;
    int y;
    int z;
    int t;
} mapping_place_t;

/* START-ZOID-SCANNER ID=5 INIT=NULL FINI=NULL PROC=NULL */

/* How far each coordinate goes. Returns 0, or the negative of an error number of Linux. */
int mapping_dimensions(mapping_place_t *sizes /* out:ptr */);

int mapping_place_of(int rank, mapping_place_t *place /* out:ptr */);

/* The rank, or the negative of an error number of Linux. */
int mapping_rank_of(const mapping_place_t *place /* in:ptr */);

#endif
