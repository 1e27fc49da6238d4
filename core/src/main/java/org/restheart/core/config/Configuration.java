package org.restheart.core.config;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;
import org.restheart.core.config.Overrides.Assignment;
import org.restheart.core.config.Overrides.OverridePath;
import org.restheart.http.PercentCoding;
import org.restheart.security.realm.DefaultAccount;
import org.restheart.text.Nearest;

/// The effective configuration as one tree, merged from its sources. Confined to the thread that starts the server.
public final class Configuration {
    /// As it is written.
    private final Map<String, @Nullable Object> tree;

    /// With the contents of files in place of references to them.
    private final Map<String, @Nullable Object> resolved;

    private final String origin;
    private final Overridden overridden;
    private final Reading reading;

    /// What overrides have set.
    ///
    /// @param paths in the spelling of findings
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
        this.resolved = FileValues.resolved("", tree, reading);
        this.origin = origin;
        this.overridden = overridden;
        this.reading = reading;
        reading.refuseUnknown(overridden::concerns, overridden.blocks());
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
        wanted.addAll(sources.ofVariables(reading));
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

    /// That of a gateway with the same MongoDB and the same limits, on a free port of this machine, with one account:
    /// all else is off.
    public Configuration forWarmUp(String account, String password) {
        var other = Trees.copy(Keys.ROOT.builtIn());
        for (var block : List.of("core", "connection-options", "mclient", "mongo")) {
            other.put(block, Trees.copyOf(resolved.get(block)));
        }
        var settings = Yaml.parse(Sources.builtIn("warm-up.yml"), "warm-up.yml", new Reading());
        settings.forEach((path, value) -> OverridePath.parse(path).set(other, value));
        var user = Map.<String, Object>of("userid", account, "password", password, "roles", List.of("warm-up"));
        OverridePath.parse("/fileRealmAuthenticator/users").set(other, List.of(user));
        return new Configuration(other, "warm-up", Overridden.NOTHING, new Reading());
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
        var sources = new HashSet<List<String>>();
        var before = Set.copyOf(tree.keySet());
        for (var assignment : wanted) {
            try {
                var path = assignment.path().set(tree, Trees.copyOf(assignment.value()));
                paths.add(path);
                if (!sources.add(List.of(assignment.source(), path))) {
                    reading.add(new Finding(
                            Level.SUSPECT,
                            "",
                            assignment.source() + ": " + path + " occurs twice, the last one counts"));
                }
                applied.add(assignment);
            } catch (ConfigException e) {
                reading.add(new Finding(Level.REFUSED, "", assignment.source() + ": " + e.getMessage()));
            }
        }
        var blocks = new HashSet<>(tree.keySet());
        blocks.removeAll(before);
        return new Overridden(List.copyOf(applied), Set.copyOf(paths), Set.copyOf(blocks));
    }

    /// The files in which the connection string of MongoDB, or parts of it, are.
    public List<Path> credentialFiles() {
        return tree.get("mclient") instanceof Map<?, ?> mclient
                        && mclient.get("connection-string") instanceof String uri
                ? FileValues.REFERENCE
                        .matcher(uri)
                        .results()
                        .map(reference -> reading.directory().resolve(reference.group(1)))
                        .toList()
                : List.of();
    }

    public String origin() {
        return origin;
    }

    /// The keys whose values another configuration has differently, such as `/core/name`; without their values, which
    /// may be secrets.
    public List<String> differences(Configuration other) {
        var blocks = new TreeSet<>(resolved.keySet());
        blocks.addAll(other.resolved.keySet());
        var paths = new ArrayList<String>();
        for (var name : blocks) {
            var here = resolved.get(name);
            var there = other.resolved.get(name);
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
        var config = GatewayConfig.read(Block.root(resolved, reading));
        UnknownKeys.report(tree, config.plugins().mayExist(), reading);
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
        return resolved.get("fileRealmAuthenticator") instanceof Map<?, ?> realm
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

    /// References to files, which hold secrets so that the configuration does not: `${file:/run/secrets/key}`.
    private static final class FileValues {
        private static final Pattern REFERENCE = Pattern.compile("\\$\\{file:([^}]+)}");

        private FileValues() {}

        /// A copy with the contents of the files; one that cannot be read is a finding, which refuses all.
        static Map<String, @Nullable Object> resolved(String path, Map<?, ?> block, Reading reading) {
            var copy = Trees.block(block);
            copy.replaceAll((key, value) -> resolved(path + "/" + key, value, reading));
            return copy;
        }

        private static @Nullable Object resolved(String path, @Nullable Object value, Reading reading) {
            return switch (value) {
                case Map<?, ?> map -> resolved(path, map, reading);
                case List<?> list -> {
                    var copy = new ArrayList<@Nullable Object>();
                    list.forEach(member -> copy.add(resolved(path + "[" + (copy.size() + 1) + "]", member, reading)));
                    yield copy;
                }
                case String text when text.contains("${file:") -> text(path, text, reading);
                case null -> null;
                default -> value;
            };
        }

        /// Within a URI the content is percent-encoded: it is a name or a password there.
        private static String text(String path, String text, Reading reading) {
            boolean part = text.contains("://");
            return REFERENCE.matcher(text).replaceAll(reference -> {
                var content = content(path, reading.directory().resolve(reference.group(1)), reading);
                return Matcher.quoteReplacement(part ? PercentCoding.encode(content, "") : content);
            });
        }

        private static String content(String path, Path file, Reading reading) {
            try {
                var secret = Secrets.ofFile(file);
                if (secret.isPresent()) {
                    return secret.get();
                }
                reading.add(new Finding(Level.REFUSED, path, "is in a file of more than 64 KiB: " + file));
            } catch (IOException | InvalidPathException e) {
                reading.add(new Finding(Level.REFUSED, path, "is in a file that cannot be read: " + file));
            }
            return "";
        }
    }

    /// Reports keys of known blocks that are not in [Keys], with the most similar one that is, and those
    /// without effect. Unknown blocks of a file are legal: they are the arguments of plugins.
    static final class UnknownKeys {
        private UnknownKeys() {}

        /// @param mayBePlugins whether an unknown block that overrides alone have made may be that of a plugin: the
        ///     start finds that out
        static void report(Map<String, @Nullable Object> tree, boolean mayBePlugins, Reading reading) {
            tree.forEach((name, value) -> {
                var key = Keys.ROOT.keys().get(name);
                if (key == null) {
                    reportBlock(name, value, !mayBePlugins && reading.isOnlyOverridden(name), reading);
                } else {
                    report("/" + name, key, value, reading);
                }
            });
        }

        static void report(String path, Keys.Key key, @Nullable Object value, Reading reading) {
            key.get("without")
                    .filter(_ -> !Keys.ALWAYS_ON.contains(key.name()))
                    .ifPresent(reason -> reportWithout(path, key, reason, value, reading));
            if (Keys.ALWAYS_ON.contains(key.name()) && Boolean.FALSE.equals(member(value, "enabled"))) {
                reading.add(new Finding(Level.ADVICE, path + "/enabled", "has no effect: this is always done here"));
            }
            if (value instanceof List<?> list && key.isList()) {
                for (int i = 0; i < list.size(); i++) {
                    reportMembers(path + "[" + (i + 1) + "]", key, list.get(i), reading);
                }
            } else if (key.isBlock() || path.isEmpty()) {
                reportMembers(path, key, value, reading);
            }
        }

        private static void reportMembers(String path, Keys.Key block, @Nullable Object value, Reading reading) {
            if (!(value instanceof Map<?, ?> members)) {
                return;
            }
            Trees.block(members).forEach((name, member) -> {
                var key = block.keys().get(name);
                if (key != null) {
                    report(path + "/" + name, key, member, reading);
                } else if (!block.is("open")
                        && block.keys().values().stream()
                                .noneMatch(k -> k.former().contains(name))) {
                    reading.unknown(
                            path + "/" + name,
                            "is not known" + Nearest.question(name, block.keys().keySet()));
                }
            });
        }

        private static void reportWithout(
                String path, Keys.Key key, String reason, @Nullable Object value, Reading reading) {
            if (key.isBlock()) {
                if (Boolean.TRUE.equals(member(value, "enabled"))) {
                    reading.add(new Finding(Level.ADVICE, path, "is enabled, but " + reason));
                }
            } else if (value != null && !Objects.equals(value, key.declared().get("usual"))) {
                reading.add(new Finding(Level.ADVICE, path, "has no effect: " + reason));
            }
        }

        private static void reportBlock(String name, @Nullable Object value, boolean isMistake, Reading reading) {
            var path = "/" + name;
            var hint = Nearest.question(name, Keys.ROOT.keys().keySet());
            if (name.startsWith("/")) {
                reading.add(new Finding(
                        Level.SUSPECT,
                        name,
                        "is an override, which this file cannot have: such a file is given with -o"));
            } else if (!(value instanceof Map)) {
                reading.unknown(path, "is not known" + (hint.isEmpty() ? ofBlock(name) : hint));
            } else if (isMistake && !Keys.ELSEWHERE.contains(name)) {
                reading.add(new Finding(Level.REFUSED, path, "is not known" + hint));
            } else if (!hint.isEmpty()) {
                reading.unknown(path, "is taken for the arguments of a plugin" + hint);
            } else if (Boolean.TRUE.equals(member(value, "enabled"))) {
                reading.add(new Finding(
                        Level.ADVICE,
                        path,
                        "is enabled, but has no effect without a plugin of this name: this release has no such"
                                + " component"));
            } else {
                reading.add(new Finding(Level.DETAIL, path, "is taken for the arguments of a plugin"));
            }
        }

        /// The text `; did you mean …?` if exactly one block has a key of this name.
        private static String ofBlock(String key) {
            var blocks = Keys.ROOT.keys().values().stream()
                    .filter(block -> block.keys().containsKey(key))
                    .map(Keys.Key::name)
                    .toList();
            return blocks.size() == 1 ? "; did you mean /" + blocks.getFirst() + "/" + key + "?" : "";
        }

        private static @Nullable Object member(@Nullable Object value, String key) {
            return value instanceof Map<?, ?> map ? map.get(key) : null;
        }
    }
}
