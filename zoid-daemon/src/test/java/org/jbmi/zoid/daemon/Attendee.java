package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.shipper.ShippedCall;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jbmi.zoid.forward.wire.Attendance_InCodec;
import org.jbmi.zoid.forward.wire.Attendance_JoinInCodec;
import org.jbmi.zoid.forward.wire.Attendance_JoinOutCodec;
import org.jbmi.zoid.forward.wire.Attendance_OutCodec;
import org.jbmi.zoid.forward.wire.Names;

import java.util.List;

/** A process that has enrolled as a receiver, and does no more than a test tells it to. */
record Attendee(ShippedCall<Attendance.Out> attendance, int number, long key) {
    static Attendee enrolled(DaemonSetup setup) {
        long key = 99;
        ShippedCall<Attendance.Out> attendance =
                attend(setup, new Attendance.In(key, -1, -1, "", List.of()));
        int number =
                setup.call(
                                Names.JOIN,
                                Attendance_JoinInCodec.INSTANCE,
                                Attendance_JoinOutCodec.INSTANCE,
                                Attendance.JoinOut.class,
                                new Attendance.JoinIn(key))
                        .await(DaemonSetup.SOON)
                        .process();
        assertThat(
                        setup.call(
                                        Names.ENROL,
                                        Attendance_JoinInCodec.INSTANCE,
                                        Attendance_OutCodec.INSTANCE,
                                        Attendance.Out.class,
                                        new Attendance.JoinIn(key))
                                .await(DaemonSetup.SOON)
                                .error())
                .isZero();
        return new Attendee(attendance, number, key);
    }

    static ShippedCall<Attendance.Out> attend(DaemonSetup setup, Attendance.In words) {
        return setup.call(
                Names.ATTEND,
                Attendance_InCodec.INSTANCE,
                Attendance_OutCodec.INSTANCE,
                Attendance.Out.class,
                words);
    }
}
