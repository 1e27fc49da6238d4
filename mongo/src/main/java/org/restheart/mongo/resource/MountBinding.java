package org.restheart.mongo.resource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.mongo.resource.Mounts.Mount;

/// A parsed [Mount]: maps paths of the server to MongoDB's names and back. Immutable.
sealed interface MountBinding {
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

    /// What paths of collections look like, with unknown segments in place of names; at least those that they may have.
    ///
    /// @param db of the collections; empty for all
    List<List<Segment>> collectionPaths(Optional<String> db);

    /// A mount without variables: one prefix in place of another.
    record LiteralBinding(List<String> where, List<String> what) implements MountBinding {

        LiteralBinding(Mount mount) {
            this(mount.whereSegments(), mount.whatSegments());
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
            return RequestPath.startsWith(tokens, what) ? Optional.of(replace(tokens, what, where)) : Optional.empty();
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

    /// A mount with variables. In `where` a variable is a whole segment, in `what` it may be part of a name; `{*}` is
    /// the rest of the path. `{host}` and its labels `{host[0]}`, `{host[1]}` … come from the host of the request.
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
                throw new IllegalArgumentException("mongo-mounts: " + mount.what() + " has variables that "
                        + mount.where() + " lacks: " + unknown);
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

        private static Optional<List<String>> fill(List<String> parts, Map<String, String> values, List<String> rest) {
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
