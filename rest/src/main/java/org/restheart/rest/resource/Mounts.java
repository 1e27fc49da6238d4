package org.restheart.rest.resource;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonValue;
import org.restheart.http.Connection;
import org.restheart.http.RequestPath;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.mongo.metadata.ResourceNames;

/// All mounts of the data API; the longest matching one wins. Immutable.
public final class Mounts implements DataPaths {
    private static final int MAX_PATHS = 1_000;

    private final List<String> prefix;
    private final List<MountBinding> longestFirst;
    private final boolean coverRoot;
    private final boolean usesHost;

    /// Paths by names, since services that translate into requests ask with each of theirs.
    private final Cache<Asked, Optional<String>> collectionPaths =
            Caffeine.newBuilder().executor(Runnable::run).maximumSize(MAX_PATHS).build();

    /// @param host empty if no path depends on it
    private record Asked(String host, String db, String collection) {}

    public record Located(ResourcePath path, UriSpace space) {}

    /// @param uri the path the data API is bound to, in front of every mount
    /// @throws IllegalArgumentException if templates and literal paths are mixed, or a path uses an unknown
    ///     variable; its message says what the list of mounts must be
    public Mounts(String uri, List<Mount> mounts) {
        if (mounts.stream().map(Mount::isTemplate).distinct().count() > 1) {
            throw new IllegalArgumentException("must have {variables} in where either in all mounts or in none");
        }
        this.prefix = Mount.split(uri);
        this.longestFirst = mounts.stream()
                .map(MountBinding::of)
                .sorted(Comparator.comparingInt(MountBinding::length).reversed())
                .toList();
        this.usesHost = longestFirst.stream().anyMatch(MountBinding.TemplateBinding.class::isInstance);
        this.coverRoot = prefix.isEmpty()
                && longestFirst.stream()
                        .anyMatch(binding -> binding.match(List.of(), "").isPresent());
    }

    /// The resource of a path, or empty if no mount covers it.
    public Optional<Located> resolve(RequestPath path, Connection connection) {
        var segments = path.segments();
        if (coverRoot && ResourcePath.isSessions(segments)) {
            return Optional.of(new Located(
                    ResourcePath.parse(segments),
                    new UriSpace(this, longestFirst.getLast(), Map.of(), connection.basePath())));
        }
        if (!RequestPath.startsWith(segments, prefix)) {
            return Optional.empty();
        }
        var below = segments.subList(prefix.size(), segments.size());
        var host = usesHost ? connection.host() : "";
        for (var binding : longestFirst) {
            var variables = binding.match(below, host);
            if (variables.isPresent()) {
                return binding.tokens(below, variables.get())
                        .filter(tokens -> !ResourcePath.isSessions(tokens))
                        .map(tokens -> new Located(
                                ResourcePath.parse(tokens),
                                new UriSpace(this, binding, variables.get(), connection.basePath())));
            }
        }
        return Optional.empty();
    }

    /// The path of a collection; empty if no mount without variables contains it.
    public Optional<RequestPath> pathOf(String database, String collection) {
        return segmentsOf(List.of(database, collection), Map.of())
                .map(this::prefixed)
                .map(RequestPath::of);
    }

    private List<String> prefixed(List<String> below) {
        return Stream.concat(prefix.stream(), below.stream()).toList();
    }

    /// The path of segments below the prefix, percent-encoded where needed.
    String encoded(List<String> below) {
        return "/" + prefixed(below).stream().map(IdSpelling::encode).collect(Collectors.joining("/"));
    }

    /// The path of these tokens below the prefix, through the mount with the longest path that contains them.
    Optional<List<String>> segmentsOf(List<String> tokens, Map<String, String> variables) {
        return longestFirst.stream()
                .flatMap(binding -> binding.segments(tokens, variables).stream())
                .findFirst();
    }

    /// The same through the mount that shows least: of one for all databases and one for this, the latter.
    private Optional<List<String>> segmentsOfNarrowest(List<String> tokens, Map<String, String> variables) {
        return longestFirst.stream()
                .filter(binding -> binding.segments(tokens, variables).isPresent())
                .max(Comparator.comparingInt(binding -> binding instanceof MountBinding.LiteralBinding literal
                        ? literal.what().size()
                        : 0))
                .flatMap(binding -> binding.segments(tokens, variables));
    }

    /// The path that resolves to these names: none for the root, a database, or a database
    /// and a collection.
    public Optional<RequestPath> pathOf(Connection connection, List<String> tokens) {
        return segmentsOf(tokens, Map.of("{host}", connection.host()))
                .map(this::prefixed)
                .map(RequestPath::of);
    }

    /// The databases of which something may have a path; empty if that may be any.
    public Set<String> databases() {
        var databases = new HashSet<String>();
        for (var binding : longestFirst) {
            if (!(binding instanceof MountBinding.LiteralBinding literal)
                    || literal.what().isEmpty()) {
                return Set.of();
            }
            databases.add(literal.what().getFirst());
        }
        return Set.copyOf(databases);
    }

    /// Whether something in a database may have a path.
    public boolean mayShow(String db) {
        return longestFirst.stream().anyMatch(binding -> switch (binding) {
            case MountBinding.LiteralBinding literal ->
                literal.what().isEmpty() || literal.what().getFirst().equals(db);
            case MountBinding.TemplateBinding _ -> true;
        });
    }

    @Override
    public Optional<String> ofCollection(Connection connection, String db, String collection) {
        var host = usesHost ? connection.host() : "";
        return Stream.of(host, db, collection).allMatch(ResourceNames::isPossible)
                ? collectionPaths.get(new Asked(host, db, collection), _ -> computedPath(connection, db, collection))
                : Optional.empty();
    }

    private Optional<String> computedPath(Connection connection, String db, String collection) {
        return encodedPath(
                connection,
                List.of(db, collection),
                found -> found.kind() == ResourceKind.COLLECTION
                        && db.equals(found.db())
                        && collection.equals(found.collection()));
    }

    @Override
    public Optional<String> ofDatabase(Connection connection, String db) {
        return encodedPath(connection, List.of(db), found -> found.kind() == ResourceKind.DB && db.equals(found.db()));
    }

    private Optional<String> encodedPath(
            Connection connection, List<String> tokens, Predicate<ResourcePath> isExpected) {
        return segmentsOf(tokens, Map.of("{host}", connection.host()))
                .map(this::encoded)
                .filter(path -> resolve(RequestPath.parse(path), connection)
                        .map(Located::path)
                        .filter(isExpected)
                        .isPresent());
    }

    @Override
    public List<List<Segment>> collectionPaths(Optional<String> db) {
        return longestFirst.stream()
                .flatMap(binding -> binding.collectionPaths(db).stream())
                .distinct()
                .map(below -> {
                    var segments = new ArrayList<Segment>();
                    prefix.forEach(name -> segments.add(new Segment.Name(name)));
                    segments.addAll(below);
                    return List.copyOf(segments);
                })
                .toList();
    }

    @Override
    public Optional<String> ofId(BsonValue id) {
        return IdSpelling.of(id);
    }

    /// Why a path names something else than its author probably means, or nothing, and so do those below it.
    public Optional<String> unreachable(List<String> segments) {
        if (usesHost || !RequestPath.startsWith(segments, prefix)) {
            return Optional.empty();
        }
        var below = segments.subList(prefix.size(), segments.size());
        if (coverRoot && ResourcePath.isSessions(below)) {
            return Optional.empty();
        }
        var mount = longestFirst.stream()
                .filter(MountBinding.LiteralBinding.class::isInstance)
                .map(MountBinding.LiteralBinding.class::cast)
                .filter(literal -> RequestPath.startsWith(below, literal.where()))
                .findFirst();
        if (mount.isEmpty()) {
            return longestFirst.stream()
                            .anyMatch(literal ->
                                    RequestPath.startsWith(((MountBinding.LiteralBinding) literal).where(), below))
                    ? Optional.empty()
                    : Optional.of("matches no request: no mount shows it, and no service has it");
        }
        var names = mount.get().tokens(below, Map.of()).orElseThrow();
        if (mount.get().what().size() != 1
                || names.size() < 2
                || !names.getFirst().equals(names.get(1))) {
            return Optional.empty();
        }
        var meant = new ArrayList<>(segments);
        meant.remove(prefix.size() + mount.get().where().size());
        return Optional.of("is that of the collection " + names.get(1) + " of the database " + names.getFirst()
                + ": the paths of this database begin behind its name, so it may be that /"
                + String.join("/", meant) + " is meant");
    }

    /// The paths of MongoDB's resources in the links of one request: through the request's mount, if it
    /// contains the target, else through another one. Confined to one request.
    public static final class UriSpace {
        public static final Key<UriSpace> KEY = Key.named("URI space");

        private final Mounts mounts;
        private final MountBinding own;
        private final Map<String, String> variables;
        private final String basePath;

        private UriSpace(Mounts mounts, MountBinding own, Map<String, String> variables, String basePath) {
            this.mounts = mounts;
            this.own = own;
            this.variables = variables;
            this.basePath = basePath;
        }

        /// The path of a resource: of the root for no tokens, of a database, collection or document for one,
        /// two or three. Starts with `/`, has no trailing slash except for `/` itself, and is percent-encoded
        /// where needed; with what a proxy before this server adds. Empty if the resource is not mounted.
        public Optional<String> pathOf(String... tokens) {
            return below(tokens).map(below -> basePath + mounts.encoded(below));
        }

        /// The same as the path of a request to this server.
        public Optional<RequestPath> requestPathOf(String... tokens) {
            return below(tokens).map(mounts::prefixed).map(RequestPath::of);
        }

        private Optional<List<String>> below(String... tokens) {
            var what = List.of(tokens);
            return own.segments(what, variables).or(() -> mounts.segmentsOfNarrowest(what, variables));
        }
    }

    /// Binds a path of the server (`where`) to a MongoDB resource (`what`): `*`, `/db`, `/db/coll` or
    /// `/db/coll/doc`. Either both are literal, or `where` has variables (`/{tenant}/{*}`) that `what`
    /// repeats. Immutable.
    public record Mount(String what, String where) {
        public Mount {
            if (!where.startsWith("/")) {
                throw new IllegalArgumentException("mongo-mounts: where must start with / but was " + where);
            }
            if (what.isEmpty()) {
                throw new IllegalArgumentException("mongo-mounts: what must not be empty (where: " + where + ")");
            }
        }

        boolean isTemplate() {
            return where.contains("{");
        }

        List<String> whereSegments() {
            return split(where);
        }

        /// Empty for everything.
        List<String> whatSegments() {
            return what.equals("*") || what.equals("/*") ? List.of() : split(what);
        }

        static List<String> split(String path) {
            return Arrays.stream(path.split("/"))
                    .filter(part -> !part.isEmpty())
                    .toList();
        }
    }

    /// A parsed [Mount]: maps paths of the server to MongoDB's names and back. Immutable.
    private sealed interface MountBinding {
        static MountBinding of(Mount mount) {
            return mount.isTemplate() ? new TemplateBinding(mount) : new LiteralBinding(mount);
        }

        /// Its specificity: the least number of segments of a matching path.
        int length();

        /// The values of the mount's variables, if the mount covers the path.
        ///
        /// @param host of the request, without the port
        Optional<Map<String, String>> match(List<String> segments, String host);

        /// The MongoDB names of a covered path: `[db, collection, id …]`.
        Optional<List<String>> tokens(List<String> segments, Map<String, String> variables);

        /// The path of these names, if the mount contains them.
        ///
        /// @param known values of variables; others are derived from `tokens` if possible
        Optional<List<String>> segments(List<String> tokens, Map<String, String> known);

        /// What paths of collections look like, with unknown segments in place of names; at least those that
        /// they may have.
        ///
        /// @param db of the collections; empty for all
        List<List<Segment>> collectionPaths(Optional<String> db);

        /// A mount without variables: one prefix in place of another.
        record LiteralBinding(List<String> where, List<String> what) implements MountBinding {

            LiteralBinding(Mount mount) {
                this(mount.whereSegments(), mount.whatSegments());
                if (!TemplateBinding.variablesOf(what).isEmpty()) {
                    throw new IllegalArgumentException("must not use variables in what where where has none, but "
                            + mount.what() + " does; /{*} is the rest of a path");
                }
            }

            @Override
            public int length() {
                return where.size();
            }

            @Override
            public Optional<Map<String, String>> match(List<String> segments, String host) {
                return RequestPath.startsWith(segments, where) ? Optional.of(Map.of()) : Optional.empty();
            }

            @Override
            public Optional<List<String>> tokens(List<String> segments, Map<String, String> variables) {
                return Optional.of(replace(segments, where, what));
            }

            @Override
            public Optional<List<String>> segments(List<String> tokens, Map<String, String> known) {
                return RequestPath.startsWith(tokens, what)
                        ? Optional.of(replace(tokens, what, where))
                        : Optional.empty();
            }

            @Override
            public List<List<Segment>> collectionPaths(Optional<String> db) {
                if (what.size() > 2
                        || (!what.isEmpty() && !db.orElse(what.getFirst()).equals(what.getFirst()))) {
                    return List.of();
                }
                var kind = new ArrayList<Segment>();
                where.forEach(name -> kind.add(new Segment.Name(name)));
                if (what.isEmpty()) {
                    kind.add(db.<Segment>map(Segment.Name::new).orElse(Segment.Unknown.ANY));
                }
                if (what.size() < 2) {
                    kind.add(Segment.Unknown.ANY);
                }
                return List.of(List.copyOf(kind));
            }

            private static List<String> replace(List<String> path, List<String> prefix, List<String> by) {
                var replaced = new ArrayList<>(by);
                replaced.addAll(path.subList(prefix.size(), path.size()));
                return replaced;
            }
        }

        /// A mount with variables. In `where` a variable is a whole segment, in `what` it may be part of a
        /// name; `{*}` is the rest of the path. `{host}` and its labels `{host[0]}`, `{host[1]}` … come from
        /// the host of the request.
        ///
        /// All values are inserted in one pass, so that a value that looks like a variable is not replaced.
        final class TemplateBinding implements MountBinding {
            private static final String REST = "{*}";
            private static final Pattern VARIABLE = Pattern.compile("\\{[^{}]+}");

            private final List<String> where;
            private final List<String> what;

            TemplateBinding(Mount mount) {
                where = mount.whereSegments();
                what = mount.whatSegments();
                var unknown = variablesOf(what);
                unknown.removeIf(name -> name.equals("{host}") || name.startsWith("{host["));
                unknown.removeAll(variablesOf(where));
                if (!unknown.isEmpty()) {
                    throw new IllegalArgumentException("must not use variables in what that where lacks, but "
                            + mount.what() + " has " + String.join(", ", unknown) + ", and " + mount.where()
                            + " does not");
                }
            }

            private static Set<String> variablesOf(List<String> parts) {
                var names = new HashSet<String>();
                for (var part : parts) {
                    VARIABLE.matcher(part).results().forEach(found -> names.add(found.group()));
                }
                return names;
            }

            @Override
            public int length() {
                return where.size();
            }

            @Override
            public Optional<Map<String, String>> match(List<String> segments, String host) {
                var values = new HashMap<String, String>();
                for (int i = 0; i < where.size(); i++) {
                    var part = where.get(i);
                    if (part.equals(REST)) {
                        return Optional.of(withHost(values, host));
                    }
                    if (i >= segments.size()) {
                        return Optional.empty();
                    }
                    if (VARIABLE.matcher(part).matches()) {
                        values.put(part, segments.get(i));
                    } else if (!part.equals(segments.get(i))) {
                        return Optional.empty();
                    }
                }
                return segments.size() == where.size() ? Optional.of(withHost(values, host)) : Optional.empty();
            }

            private static Map<String, String> withHost(Map<String, String> values, String host) {
                values.put("{host}", host);
                var labels = host.split("\\.", -1);
                for (int i = 0; i < labels.length; i++) {
                    values.put("{host[" + i + "]}", labels[i]);
                }
                return values;
            }

            @Override
            public Optional<List<String>> tokens(List<String> segments, Map<String, String> variables) {
                int before = where.indexOf(REST);
                var rest = before < 0 || before > segments.size()
                        ? List.<String>of()
                        : segments.subList(before, segments.size());
                return fill(what, variables, rest);
            }

            private static Optional<List<String>> fill(
                    List<String> parts, Map<String, String> values, List<String> rest) {
                var filled = new ArrayList<String>();
                for (var part : parts) {
                    if (part.equals(REST)) {
                        filled.addAll(rest);
                    } else if (!values.keySet().containsAll(variablesOf(List.of(part)))) {
                        return Optional.empty();
                    } else {
                        filled.add(VARIABLE.matcher(part)
                                .replaceAll(name -> Matcher.quoteReplacement(values.getOrDefault(name.group(), ""))));
                    }
                }
                return Optional.of(filled);
            }

            @Override
            public Optional<List<String>> segments(List<String> tokens, Map<String, String> known) {
                var values = new HashMap<>(known);
                var rest = List.<String>of();
                for (int i = 0; i < what.size(); i++) {
                    if (what.get(i).equals(REST)) {
                        rest = tokens.subList(Math.min(i, tokens.size()), tokens.size());
                        return fill(where, values, rest);
                    }
                    if (i >= tokens.size() || !read(what.get(i), tokens.get(i), values)) {
                        return Optional.empty();
                    }
                }
                return tokens.size() == what.size() ? fill(where, values, rest) : Optional.empty();
            }

            /// The variables may have any values, and what they leave may be any names.
            @Override
            public List<List<Segment>> collectionPaths(Optional<String> db) {
                var kind = new ArrayList<Segment>();
                for (var part : where) {
                    if (part.equals(REST)) {
                        break;
                    }
                    kind.add(VARIABLE.matcher(part).matches() ? Segment.Unknown.ANY : new Segment.Name(part));
                }
                if (!where.contains(REST)) {
                    return List.of(List.copyOf(kind));
                }
                return List.of(
                        List.copyOf(kind),
                        append(kind, Segment.Unknown.ANY),
                        append(kind, Segment.Unknown.ANY, Segment.Unknown.ANY));
            }

            private static List<Segment> append(List<Segment> kind, Segment... more) {
                var longer = new ArrayList<>(kind);
                longer.addAll(List.of(more));
                return List.copyOf(longer);
            }

            /// Extracts the values of a part's variables from a name; known values take precedence.
            private static boolean read(String part, String name, Map<String, String> values) {
                var names = new ArrayList<String>();
                var regex = new StringBuilder();
                int end = 0;
                for (var found : VARIABLE.matcher(part).results().toList()) {
                    regex.append(Pattern.quote(part.substring(end, found.start())));
                    var value = values.get(found.group());
                    regex.append(value == null ? "(.+?)" : "(" + Pattern.quote(value) + "|.+?)");
                    names.add(found.group());
                    end = found.end();
                }
                regex.append(Pattern.quote(part.substring(end)));
                var matcher = Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(name);
                if (!matcher.matches()) {
                    return false;
                }
                for (int i = 0; i < names.size(); i++) {
                    values.put(names.get(i), matcher.group(i + 1));
                }
                return true;
            }
        }
    }
}
