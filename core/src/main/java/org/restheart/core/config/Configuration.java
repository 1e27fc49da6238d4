package org.restheart.core.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.core.config.Overrides.Assignment;
import org.restheart.security.realm.DefaultAccount;

/// The effective configuration as one tree, merged from its sources. Confined to the thread that starts the server.
public final class Configuration {
    private final Map<String, @Nullable Object> tree;
    private final String origin;
    private final Overridden overridden;
    private final Reading reading;

    /// What overrides have set.
    ///
    /// @param applied in order
    /// @param paths in the spelling of findings
    /// @param blocks that only overrides have
    private record Overridden(List<Assignment> applied, Set<String> paths, Set<String> blocks) {
        static final Overridden NOTHING = new Overridden(List.of(), Set.of(), Set.of());

        /// Whether one of them has set the key, something in it, or what it is in.
        boolean concerns(String path) {
            return paths.stream().anyMatch(set -> isWithin(path, set) || isWithin(set, path));
        }

        private static boolean isWithin(String path, String outer) {
            return path.startsWith(outer)
                    && (path.length() == outer.length() || "/[".indexOf(path.charAt(outer.length())) >= 0);
        }
    }

    private Configuration(Map<String, @Nullable Object> tree, String origin, Overridden overridden, Reading reading) {
        this.tree = tree;
        this.origin = origin;
        this.overridden = overridden;
        this.reading = reading;
        reading.refuseUnknown(overridden::concerns);
    }

    /// Reads and merges the sources.
    ///
    /// @throws ConfigException when a file is missing or malformed; a bad override is a finding, which refuses all
    public static Configuration load(Sources sources) {
        var file = sources.file();
        var reading =
                new Reading(file.map(Path::toAbsolutePath).map(Path::getParent).orElse(Path.of("")));
        var tree = file.isPresent()
                ? Yaml.parse(Sources.text(file.get()), file.get().toString(), reading)
                : builtIn(sources.standalone());
        var origin = file.map(Object::toString).orElse(sources.standalone() ? "built-in, without MongoDB" : "built-in");
        var wanted = new ArrayList<Assignment>();
        sources.overrides().ifPresent(path -> wanted.addAll(Overrides.ofFile(path, reading)));
        sources.inline().ifPresent(text -> wanted.addAll(new Overrides("RHO", reading).parse(text)));
        sources.options()
                .forEach((path, value) -> wanted.add(new Assignment(OverridePath.parse(path), value, "command line")));
        return new Configuration(tree, origin, apply(wanted, tree, reading), reading);
    }

    /// The configuration of a YAML text alone: for tests and for embedding.
    public static Configuration parse(String yaml) {
        var reading = new Reading();
        return new Configuration(
                Yaml.parse(yaml, "configuration", reading), "configuration", Overridden.NOTHING, reading);
    }

    /// The built-in configuration file, with its comments.
    public static String template() {
        return Sources.builtIn("restheart.yml");
    }

    static Map<String, @Nullable Object> builtIn(boolean standalone) {
        var tree = Keys.ROOT.builtIn();
        if (standalone) {
            var name = "standalone.yml";
            Yaml.parse(Sources.builtIn(name), name, new Reading())
                    .forEach((path, value) -> OverridePath.parse(path).set(tree, value));
        }
        return tree;
    }

    private static Overridden apply(List<Assignment> wanted, Map<String, @Nullable Object> tree, Reading reading) {
        var applied = new ArrayList<Assignment>();
        var paths = new HashSet<String>();
        var before = Set.copyOf(tree.keySet());
        for (var assignment : wanted) {
            try {
                paths.add(assignment.path().set(tree, Trees.copyOf(assignment.value())));
                applied.add(assignment);
            } catch (ConfigException e) {
                reading.add(new Finding(Level.REFUSED, "", assignment.source() + ": " + e.getMessage()));
            }
        }
        var blocks = new HashSet<>(tree.keySet());
        blocks.removeAll(before);
        return new Overridden(List.copyOf(applied), Set.copyOf(paths), Set.copyOf(blocks));
    }

    /// Such as the file's name.
    public String origin() {
        return origin;
    }

    /// The keys whose values another configuration has differently, such as `/core/name`; without their values, which
    /// may be secrets.
    public List<String> differences(Configuration other) {
        var blocks = new TreeSet<>(tree.keySet());
        blocks.addAll(other.tree.keySet());
        var paths = new ArrayList<String>();
        for (var name : blocks) {
            var here = tree.get(name);
            var there = other.tree.get(name);
            if (isBlock(here) && isBlock(there)) {
                var a = here instanceof Map<?, ?> map ? Trees.block(map) : Map.<String, @Nullable Object>of();
                var b = there instanceof Map<?, ?> map ? Trees.block(map) : Map.<String, @Nullable Object>of();
                var keys = new TreeSet<>(a.keySet());
                keys.addAll(b.keySet());
                keys.stream()
                        .filter(key -> !Objects.equals(a.get(key), b.get(key)))
                        .forEach(key -> paths.add("/" + name + "/" + key));
            } else if (!Objects.equals(here, there)) {
                paths.add("/" + name);
            }
        }
        return paths;
    }

    /// One that is not set is as good as empty.
    private static boolean isBlock(@Nullable Object value) {
        return value == null || value instanceof Map<?, ?>;
    }

    /// The overrides that were applied, in order, one line each, secrets masked.
    public List<String> overrides() {
        return overridden.applied().stream().map(Assignment::toString).toList();
    }

    /// The effective configuration as YAML, with the defaults of keys that are not set anywhere.
    ///
    /// @param showSecrets whether passwords and keys are printed in clear text
    public String print(boolean showSecrets) {
        var whole = Trees.copy(tree);
        var defaults = new Reading(reading.directory());
        GatewayConfig.read(Block.root(Trees.copy(tree), defaults));
        defaults.filled().forEach((path, value) -> {
            if (path.startsWith("/")) { // others are in files that the configuration names
                OverridePath.parse(path).set(whole, Trees.copyOf(value));
            }
        });
        return Yaml.print(showSecrets ? whole : Secrets.mask(whole));
    }

    /// What a strict check finds beyond [#read()]: what may be meant, but seldom is.
    public List<Finding> strictFindings() {
        var security = read().config().security();
        boolean silent = tree.get("mongoAclAuthorizer") instanceof Map<?, ?> acl && acl.containsKey("root-role");
        return security.mongoAcl().isPresent()
                        && security.mongoAcl().get().rootRole().isEmpty()
                        && security.filePermissions().isEmpty()
                        && security.fullAuthorizer().isEmpty()
                        && !silent
                ? List.of(new Finding(
                        Level.SUSPECT,
                        "/mongoAclAuthorizer/root-role",
                        "is not set: without stored permissions nobody may do anything; null says that this is meant"))
                : List.of();
    }

    /// The typed configuration and its findings. They contain at least one refusal if the configuration must not be
    /// used.
    public Parsed read() {
        var config = GatewayConfig.read(Block.root(tree, reading));
        UnknownKeys.report(tree, overridden.blocks(), reading);
        reportExposure(config);
        return new Parsed(config, reading.findings());
    }

    public record Parsed(GatewayConfig config, List<Finding> findings) {
        /// The records, if they can be used.
        ///
        /// @throws ConfigException naming everything that is wrong
        public GatewayConfig orThrow() {
            var refused = findings.stream()
                    .filter(finding -> finding.level() == Level.REFUSED)
                    .toList();
            if (!refused.isEmpty()) {
                throw new ConfigException(refused);
            }
            return config;
        }
    }

    /// Warns about settings that are safe on a local machine only.
    private void reportExposure(GatewayConfig config) {
        boolean openHttp = config.http().enabled() && !config.http().isLoopback();
        boolean openHttps =
                config.https().enabled() && !config.https().listener().isLoopback();
        if (hasDefaultAccount()) {
            reading.add(new Finding(
                    Level.ADVICE,
                    "",
                    "The account " + DefaultAccount.NAME + " has the default password"
                            + (openHttp || openHttps ? ", which is accepted from this machine only" : "")
                            + ": change it in /fileRealmAuthenticator/users"));
        }
        var tokens = config.security().tokens();
        if ((openHttp || openHttps)
                && tokens.jwtTokens().isPresent()
                && tokens.jwt().settings().isSymmetric()
                && !tokens.jwt().shared()) {
            reading.add(new Finding(
                    Level.ADVICE,
                    "/jwtConfigProvider/key",
                    "is null: tokens and cookies end with this process, and other gateways refuse them"));
        }
        if (openHttp) {
            reading.add(new Finding(
                    Level.ADVICE,
                    "/http-listener/host",
                    "is " + config.http().host() + ": passwords travel in clear text unless a proxy adds TLS"));
        }
    }

    /// Whether the configuration itself has the default account with its password.
    public boolean hasDefaultAccount() {
        return tree.get("fileRealmAuthenticator") instanceof Map<?, ?> realm
                && !Boolean.FALSE.equals(realm.get("enabled"))
                && !(realm.get("conf-file") instanceof String)
                && realm.get("users") instanceof List<?> users
                && users.stream().anyMatch(Configuration::isDefaultAccount);
    }

    private static boolean isDefaultAccount(@Nullable Object user) {
        return user instanceof Map<?, ?> properties
                && DefaultAccount.NAME.equals(properties.get("userid"))
                && DefaultAccount.PASSWORD.equals(properties.get("password"));
    }
}
