package org.jbmi.zoid.daemon;

import org.jbmi.PeerAddress;
import org.jbmi.shipper.Call;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.zoid.daemon.plugin.LoadedPlugin;
import org.jbmi.zoid.daemon.plugin.Plugins;
import org.jbmi.zoid.forward.wire.Modules;
import org.jbmi.zoid.forward.wire.Modules_AnswerCodec;
import org.jbmi.zoid.forward.wire.Modules_WishCodec;
import org.jbmi.zoid.forward.wire.Names;

import java.util.List;

/** The functions by which administrators list, load and unload plug-ins. */
final class ModuleService {
    private final Plugins plugins;
    private final boolean live;

    /**
     * Changes are allowed only if the server was started so, since loading a plug-in runs its code.
     */
    ModuleService(Plugins plugins, boolean live) {
        this.plugins = plugins;
        this.live = live;
    }

    void register(ShipperServer server) {
        server.register(
                Names.MODULES,
                Modules_WishCodec.INSTANCE,
                Modules_AnswerCodec.INSTANCE,
                this::change);
    }

    private Modules.Answer change(Call<Modules.Wish, Modules.Answer> call)
            throws InterruptedException {
        Modules.Wish wish = call.input();
        String trouble = "";
        if (!wish.unload().isEmpty() || !wish.load().isEmpty()) {
            trouble = refusal(call.client());
        }
        try {
            if (trouble.isEmpty() && !wish.unload().isEmpty()) {
                trouble = unload(wish.unload());
            }
            if (trouble.isEmpty() && !wish.load().isEmpty()) {
                plugins.load(wish.load(), wish.file(), Plugins.settings(wish.settings()));
            }
        } catch (IllegalArgumentException e) {
            trouble = String.valueOf(e.getMessage());
        }
        return new Modules.Answer(loaded(), trouble);
    }

    private String refusal(PeerAddress client) {
        if (!live) {
            return "The server keeps the plug-ins that it has: it was started without --live.";
        }
        return client.isOwnUser()
                ? ""
                : "Plug-ins are changed by the server's own user only, not over tcp or a gateway.";
    }

    private String unload(String name) throws InterruptedException {
        int left = plugins.unload(name);
        return left == 0
                ? ""
                : "The plug-in %s takes no calls any more; %d still run, and then it ends."
                        .formatted(name, left);
    }

    private List<Modules.Loaded> loaded() {
        return plugins.all().stream().map(ModuleService::words).toList();
    }

    private static Modules.Loaded words(LoadedPlugin plugin) {
        return new Modules.Loaded(
                plugin.dispatcher().id(),
                plugin.dispatcher().name(),
                plugin.functions(),
                plugin.origin());
    }
}
