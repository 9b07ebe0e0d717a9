/* The plug-in "barrier": the processes of a job wait for each other. */
#ifndef ZOID_BARRIER_H
#define ZOID_BARRIER_H

/* START-ZOID-SCANNER ID=6 INIT=NULL FINI=NULL PROC=barrier_proc */

/*
 * Waits until as many processes of the job wait as it has. Returns how often it has done so, from 1
 * on, or the negative of an error number of Linux: EPIPE if one of them has gone meanwhile, ESRCH
 * for a process without a rank.
 */
int64_t barrier_wait(void);

#endif
