package org.restheart.core.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.restheart.http.Network;
import org.restheart.security.BruteForceGuard;
import org.restheart.security.ClientAddress;
import org.restheart.security.FailedAuthLogger;
import org.restheart.security.OriginPattern;
import org.restheart.security.OriginVetoer;
import org.restheart.security.predicate.Predicate;
import org.restheart.security.predicate.PredicateException;
import org.restheart.security.predicate.PredicateParser;

/// Guards beside the security filter. A part is empty when its component is off.
///
/// @param clientAddress under which address attempts and content are counted, whether or not attempts are bounded
public record SecurityGuards(
        Optional<BruteForceGuard> bruteForce,
        ClientAddress clientAddress,
        Optional<OriginVetoer> origins,
        Optional<FailedAuthLogger> failureLog,
        boolean guardsRootRole,
        List<String> unrestrictedRoles,
        Cors cors) {
    /// `cors`.
    public record Cors(List<OriginPattern> origins, boolean echo, List<String> headers, int maxAge) {
        private static Cors read(Block block) {
            if (block.bool("echo-origin")) {
                block.advise("echo-origin", "is true: pages of every origin may use the credentials of their visitors");
            }
            return new Cors(
                    patterns(block, "allowed-origins"),
                    block.bool("echo-origin"),
                    block.texts("allowed-headers"),
                    block.integer("max-age"));
        }
    }

    static SecurityGuards read(Block root) {
        var bruteForce = root.block("bruteForceAttackGuard");
        var most = bruteForce.ifEnabled(block -> block.integer("max-failed-attempts"));
        var clients = clientAddress(bruteForce, trustedProxies(root.block("core")));
        return new SecurityGuards(
                most.map(attempts -> new BruteForceGuard(attempts, clients)),
                clients,
                root.block("originVetoer").ifEnabled(SecurityGuards::origins),
                failureLog(root.block("failedAuthLogger")),
                root.block("rootRoleGuard").bool("enabled"),
                root.block("accountsConfig").texts("users-unrestricted-roles"),
                Cors.read(root.block("cors")));
    }

    /// A file that switches it on has always had refusals logged, too.
    private static Optional<FailedAuthLogger> failureLog(Block block) {
        boolean enabled = block.bool("enabled");
        boolean refusals = block.bool("refusals", block.has("enabled"));
        return enabled ? Optional.of(new FailedAuthLogger(refusals)) : Optional.empty();
    }

    private static List<Network> trustedProxies(Block block) {
        var networks = new ArrayList<Network>();
        for (var text : block.texts("trusted-proxies")) {
            try {
                networks.add(Network.parse(text));
            } catch (IllegalArgumentException _) {
                block.refuse("trusted-proxies", "must be addresses or networks such as 10.0.0.0/8, but one is " + text);
            }
        }
        return networks;
    }

    /// Without a list of proxies, `trust-x-forwarded-for` trusts every peer.
    private static ClientAddress clientAddress(Block block, List<Network> proxies) {
        int fromLast = block.integer("x-forwarded-for-value-from-last-element");
        boolean trusted = block.bool("trust-x-forwarded-for");
        if (!trusted && proxies.isEmpty()) {
            return new ClientAddress.Peer();
        }
        return new ClientAddress.Forwarded(
                fromLast, peer -> proxies.isEmpty() || proxies.stream().anyMatch(network -> network.contains(peer)));
    }

    private static OriginVetoer origins(Block block) {
        return new OriginVetoer(
                block.texts("whitelist"),
                patterns(block, "whitelist-patterns"),
                ignored(block),
                block.bool("allow-missing-origin"));
    }

    static List<OriginPattern> patterns(Block block, String key) {
        var patterns = new ArrayList<OriginPattern>();
        for (var text : block.texts(key)) {
            try {
                patterns.add(OriginPattern.parse(text));
            } catch (IllegalArgumentException e) {
                block.refuse(key, "has an entry that is " + e.getMessage());
            }
        }
        return List.copyOf(patterns);
    }

    private static List<Predicate> ignored(Block block) {
        var ignored = new ArrayList<Predicate>();
        for (var path : block.texts("ignore-paths")) {
            try {
                ignored.add(PredicateParser.parse("path-template('" + path.replace("'", "\\'") + "')"));
            } catch (PredicateException e) {
                block.refuse("ignore-paths", "has an entry that is no path template: " + e.getMessage());
            }
        }
        return ignored;
    }
}
