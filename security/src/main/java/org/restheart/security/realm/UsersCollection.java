package org.restheart.security.realm;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.security.ProtectedCollection;

/// The collection of accounts and the meaning of its properties.
///
/// @param nameProperty compared with the name in the credentials; may be a dotted path
/// @param passwordProperty a property of the document itself
/// @param hashed whether passwords are stored as bcrypt hashes, and hashed when they are written
public record UsersCollection(
        String database,
        String collection,
        String nameProperty,
        String passwordProperty,
        RolesPath roles,
        boolean hashed)
        implements ProtectedCollection {

    /// @throws IllegalArgumentException naming the invalid property
    public UsersCollection {
        if (nameProperty.isEmpty() || nameProperty.startsWith("$")) {
            throw new IllegalArgumentException("prop-id must be the name of a property");
        }
        if (passwordProperty.isEmpty() || passwordProperty.contains(".") || passwordProperty.startsWith("$")) {
            throw new IllegalArgumentException("prop-password must be the name of a property, without dots");
        }
    }

    public boolean isNamedById() {
        return nameProperty.equals("_id");
    }

    /// A copy of an account by whose name a client can log in.
    ///
    /// @param name of an account that has none
    public BsonDocument named(BsonDocument account, String name) {
        var named = account.clone();
        if (nameOf(account).isEmpty()) {
            var steps = List.of(nameProperty.split("\\.", -1));
            var at = named;
            for (var step : steps.subList(0, steps.size() - 1)) {
                var inner = at.get(step) instanceof BsonDocument document ? document : new BsonDocument();
                at.put(step, inner);
                at = inner;
            }
            at.put(steps.getLast(), new BsonString(name));
        }
        return named;
    }

    /// The name by which a client can log in with the account, if there is one.
    public Optional<String> nameOf(BsonDocument account) {
        BsonValue at = account;
        for (var step : nameProperty.split("\\.", -1)) {
            at = at instanceof BsonDocument document ? document.getOrDefault(step, BsonNull.VALUE) : BsonNull.VALUE;
        }
        return at instanceof BsonString name
                        && !name.getValue().isEmpty()
                        && !name.getValue().contains(":")
                ? Optional.of(name.getValue())
                : Optional.empty();
    }

    /// The path of the roles in an account's document: a JSONPath of names, positions and `[*]` (RFC
    /// 9535, 2.3), such as `$.roles` or `$.memberships[*].role`. Immutable.
    public static final class RolesPath {
        private static final Pattern STEP =
                Pattern.compile("\\.([^.\\[\\]*'\"]+)|\\['([^']+)']|\\[\"([^\"]+)\"]|\\[(\\d{1,5})]|\\[\\*]|\\.\\*");

        /// Names, positions as numbers, and `*`.
        private sealed interface Step {
            record Name(String name) implements Step {}

            record Position(int index) implements Step {}

            record All() implements Step {}
        }

        private final List<Step> steps;

        private RolesPath(List<Step> steps) {
            this.steps = steps;
        }

        /// @throws IllegalArgumentException if it is not a path, or not a supported one
        public static RolesPath parse(String path) {
            if (!path.startsWith("$")) {
                throw new IllegalArgumentException("must be a JSON path, which starts with $");
            }
            var steps = new ArrayList<Step>();
            var matcher = STEP.matcher(path);
            int at = 1;
            while (at < path.length() && matcher.find(at) && matcher.start() == at) {
                steps.add(step(matcher.group(1), matcher.group(2), matcher.group(3), matcher.group(4)));
                at = matcher.end();
            }
            if (at < path.length() || steps.isEmpty() || !(steps.getFirst() instanceof Step.Name)) {
                throw new IllegalArgumentException("must be a path of names, positions and [*]: " + path);
            }
            if (steps.stream().anyMatch(RolesPath::isUnknownToFilters)) {
                throw new IllegalArgumentException(
                        "must not contain names with dots, or that begin with $, which MongoDB's filters do not know: "
                                + path);
            }
            return new RolesPath(List.copyOf(steps));
        }

        private static boolean isUnknownToFilters(Step step) {
            return step instanceof Step.Name(var name) && (name.contains(".") || name.startsWith("$"));
        }

        /// The name of the property, if the path is nothing else.
        public Optional<String> property() {
            return steps.size() == 1 && steps.getFirst() instanceof Step.Name(var name)
                    ? Optional.of(name)
                    : Optional.empty();
        }

        private static Step step(
                @Nullable String a, @Nullable String b, @Nullable String c, @Nullable String position) {
            if (position != null) {
                return new Step.Position(Integer.parseInt(position));
            }
            for (var name : new @Nullable String[] {a, b, c}) {
                if (name != null) {
                    return new Step.Name(name);
                }
            }
            return new Step.All();
        }

        /// The first property of the path, which every change of the roles touches.
        public String root() {
            return steps.getFirst() instanceof Step.Name(var name) ? name : "";
        }

        /// The path as a dotted path, if it consists of names only.
        public Optional<String> dotted() {
            var names = new ArrayList<String>();
            for (var step : steps) {
                if (!(step instanceof Step.Name(var name))) {
                    return Optional.empty();
                }
                names.add(name);
            }
            return Optional.of(String.join(".", names));
        }

        /// The roles; none if the document has no value there. Values other than strings are left out.
        ///
        /// @return empty if the value is not a list
        public Optional<List<String>> read(BsonDocument document) {
            List<BsonValue> found = List.of(document);
            boolean many = false;
            for (var step : steps) {
                var next = new ArrayList<BsonValue>();
                for (var value : found) {
                    switch (step) {
                        case Step.Name(var name)
                        when value instanceof BsonDocument inner && inner.containsKey(name) ->
                            next.add(inner.get(name));
                        case Step.Position(int index)
                        when value instanceof BsonArray array && index < array.size() -> next.add(array.get(index));
                        case Step.All() when value instanceof BsonArray array -> next.addAll(array);
                        case Step.All() when value instanceof BsonDocument inner -> next.addAll(inner.values());
                        default -> {}
                    }
                }
                many |= step instanceof Step.All;
                found = next;
            }
            if (!many && !found.isEmpty()) {
                if (!(found.getFirst() instanceof BsonArray array)) {
                    return Optional.empty();
                }
                found = array;
            }
            boolean all = many; // in a list of roles, MongoDB's filters find no roles of an inner list either
            return Optional.of(found.stream()
                    .flatMap(value -> all && value instanceof BsonArray array ? array.stream() : Stream.of(value))
                    .filter(BsonValue::isString)
                    .map(value -> value.asString().getValue())
                    .toList());
        }
    }
}
