package org.jbmi.zoid.plugins.zoidfs;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.stub.PluginDispatcher;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;

import java.util.Set;

/**
 * Brings the plug-in {@code zoidfs}. The setting {@code zoidfs.server} is the address of the zoidfs
 * server whose files it forwards.
 */
public final class ZoidfsProvider implements PluginProvider {
    private static final String SERVER = "zoidfs.server";

    /** For the service loader. */
    public ZoidfsProvider() {}

    @Override
    public String name() {
        return "zoidfs";
    }

    @Override
    public Set<String> settings() {
        return Set.of(SERVER);
    }

    @Override
    public PluginDispatcher open(PluginServices services) {
        String address =
                services.setting(SERVER)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "The plug-in zoidfs forwards to a zoidfs server:"
                                                        + " say where it is, with --set "
                                                        + SERVER
                                                        + "=ADDRESS."));
        Bmi bmi = Bmi.open();
        try {
            ZoidfsClient client = ZoidfsClient.connect(bmi, address, ClientOptions.DEFAULT);
            return new ZoidfsDispatcher(
                    new ZoidfsFiles(
                            client,
                            () -> {
                                client.close();
                                bmi.close();
                            }));
        } catch (BmiException e) {
            bmi.close();
            throw switch (e.code()) {
                case EINVAL, ENOPROTOOPT, ENAMETOOLONG ->
                        new IllegalArgumentException(
                                "The setting " + SERVER + " is not an address: " + e.getMessage(),
                                e);
                default ->
                        new IllegalStateException(
                                "The zoidfs server "
                                        + address
                                        + " cannot be reached: "
                                        + e.getMessage(),
                                e);
            };
        } catch (RuntimeException | Error e) {
            bmi.close();
            throw e;
        }
    }
}
