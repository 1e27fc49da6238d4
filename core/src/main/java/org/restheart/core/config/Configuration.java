package org.restheart.core.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.core.config.Overrides.Assignment;

/// The effective configuration as one tree, merged from its sources. Confined to the thread that starts the server.
public final class Configuration {
    /// The account of the built-in configuration, whose password is publicly known.
    public static final String DEFAULT_ACCOUNT = "admin";

    public static final String DEFAULT_PASSWORD = "secret";
    private static final String BUILT_IN = "restheart.yml";

    private final Map<String, @Nullable Object> tree;
    private final String origin;
    private final boolean custom;
    private final List<Assignment> overrides;
    private final Reading reading;

    private Configuration(
            Map<String, @Nullable Object> tree,
            String origin,
            boolean custom,
            List<Assignment> overrides,
            Reading reading) {
        this.tree = tree;
        this.origin = origin;
        this.custom = custom;
        this.overrides = overrides;
        this.reading = reading;
    }

    /// Reads and merges the sources.
    ///
    /// @throws ConfigException when a file is missing or malformed; a bad override is only a finding
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
        return new Configuration(tree, origin, file.isPresent(), apply(wanted, tree, reading), reading);
    }

    /// The configuration of a YAML text alone: for tests and for embedding.
    public static Configuration parse(String yaml) {
        var reading = new Reading();
        return new Configuration(Yaml.parse(yaml, "configuration", reading), "configuration", true, List.of(), reading);
    }

    /// The built-in configuration file, with its comments.
    public static String template() {
        return Sources.builtIn(BUILT_IN);
    }

    static Map<String, @Nullable Object> builtIn(boolean standalone) {
        var reading = new Reading();
        var tree = Yaml.parse(template(), BUILT_IN, reading);
        if (standalone) {
            var name = "standalone.yml";
            Yaml.parse(Sources.builtIn(name), name, reading)
                    .forEach((path, value) -> OverridePath.parse(path).set(tree, value));
        }
        return tree;
    }

    private static List<Assignment> apply(
            List<Assignment> wanted, Map<String, @Nullable Object> tree, Reading reading) {
        var applied = new ArrayList<Assignment>();
        for (var assignment : wanted) {
            try {
                assignment.path().set(tree, Trees.copyOf(assignment.value()));
                applied.add(assignment);
            } catch (ConfigException e) {
                reading.add(new Finding(Level.SUSPECT, "", assignment.source() + ": " + e.getMessage()));
            }
        }
        return applied;
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
        return overrides.stream().map(Assignment::toString).toList();
    }

    /// The effective configuration as YAML, with the defaults of keys that are not set anywhere.
    ///
    /// @param showSecrets whether passwords and keys are printed in clear text
    public String print(boolean showSecrets) {
        var whole = Trees.copy(tree);
        var defaults = new Reading(reading.directory());
        GatewayConfig.read(Block.of("", Trees.copy(tree), defaults));
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
        var config = GatewayConfig.read(Block.of("", tree, reading));
        var builtIn = builtIn(false);
        new UnknownKeys(builtIn).report(tree, reading);
        UnknownKeys.Unavailable.report(tree, builtIn, custom, reading);
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
                    "The account " + DEFAULT_ACCOUNT + " has the default password"
                            + (openHttp || openHttps ? ", and this server is reached from other machines" : "")
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
                && DEFAULT_ACCOUNT.equals(properties.get("userid"))
                && DEFAULT_PASSWORD.equals(properties.get("password"));
    }
}
