package org.jbmi.zoid.forward.stub;

import org.jbmi.zoid.forward.PluginLifecycle;

import java.util.List;

/** Runs the functions of one plug-in; generated beside its interface. */
public interface PluginDispatcher {
    /**
     * The number of the plug-in.
     *
     * @return 1 to 65535
     */
    int id();

    /**
     * The name of the plug-in.
     *
     * @return as its interface says
     */
    String name();

    /**
     * The implementation.
     *
     * @return what was given to the dispatcher
     */
    PluginLifecycle plugin();

    /**
     * The signatures of its functions.
     *
     * @return in the order of the interface
     */
    List<String> signatures();

    /**
     * Runs a function.
     *
     * @param function its place, less than the number of signatures
     * @param call its arguments, and where its results go
     * @throws Exception whatever the function throws
     */
    @SuppressWarnings("PMD.SignatureDeclareThrowsException")
    void call(int function, ServedCall call) throws Exception;
}
