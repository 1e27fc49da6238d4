package org.restheart.security.acl;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.fields.FilterMistakes;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.Hint;
import org.restheart.http.KnownKeys;
import org.restheart.security.predicate.Predicate;
import org.restheart.security.predicate.PredicateException;
import org.restheart.security.predicate.PredicateParser;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;
import org.restheart.text.Words;

/// Reads permissions from documents of the collection or, in YAML, of a file.
public final class PermissionReader {
    private static final int MAX_QUOTED = 50;

    private PermissionReader() {}

    /// An entry of a file: `role` or `roles`, and filters may be texts that contain JSON.
    ///
    /// @param place its location, for messages
    /// @throws PermissionException saying why it cannot be used
    public static Permission ofFile(String place, BsonDocument entry) throws PermissionException {
        var role = entry.get("role");
        var roles = entry.get("roles");
        if ((role == null) == (roles == null)) {
            throw new PermissionException("needs either role or roles");
        }
        if (role != null && !role.isString()) {
            throw new PermissionException("role must be a text");
        }
        PermissionKeys.require(entry, true);
        RuleFilterCheck.require(grant(entry.get("mongo")));
        return read(place, Optional.empty(), rolesOf(entry), entry);
    }

    /// A document of the collection. Mistakes that cannot widen access are refused when it is written, not
    /// here.
    ///
    /// @throws PermissionException saying why it cannot be used
    public static Permission ofDocument(BsonDocument document) throws PermissionException {
        PermissionKeys.requireRestrictions(document);
        return read(
                placeOf(document), Optional.ofNullable(document.get("_id")), roles(document.get("roles")), document);
    }

    /// What is accepted in filters and is probably meant otherwise, such as a variable without `@`.
    ///
    /// @throws PermissionException if the permission cannot be used
    public static List<String> warnings(BsonDocument entry) throws PermissionException {
        return PermissionWarnings.of(rolesOf(entry), grant(entry.get("mongo")));
    }

    /// As JSON, so that control characters of an id do not reach the log.
    static String placeOf(BsonDocument document) {
        var id = document.get("_id");
        return "permission " + (id == null ? "without _id" : new BsonDocument("_id", id).toJson());
    }

    private static List<String> rolesOf(BsonDocument entry) throws PermissionException {
        return entry.get("role") instanceof BsonString role ? List.of(role.getValue()) : roles(entry.get("roles"));
    }

    private static List<String> roles(@Nullable BsonValue value) throws PermissionException {
        return BsonTexts.only(value)
                .filter(roles -> !roles.isEmpty())
                .orElseThrow(() -> new PermissionException("roles must be a list of texts, not empty"));
    }

    private static Permission read(String place, Optional<BsonValue> id, List<String> roles, BsonDocument entry)
            throws PermissionException {
        var priority = entry.get("priority");
        var predicate = predicate(entry.get("predicate"));
        var grant = grant(entry.get("mongo"));
        return new Permission(
                new Permission.Source(place, id, entry.getString("predicate").getValue()),
                roles,
                priority != null && priority.isNumber()
                        ? Optional.of(priority.asNumber().doubleValue())
                        : Optional.empty(),
                predicate,
                grant,
                FilterVariables.occurIn(grant));
    }

    /// Checks the `mongo` object of a permission.
    ///
    /// @throws PermissionException saying why it cannot be used
    public static void checkGrant(@Nullable BsonValue mongo) throws PermissionException {
        if (mongo instanceof BsonDocument document) {
            PermissionKeys.requireKnown(document);
            requireProperties(document);
        }
        RuleFilterCheck.require(grant(mongo));
    }

    /// Checks the syntax of a permission for its author.
    ///
    /// @param content `{predicate, mongo}`, as in a permission
    /// @return `{ok: true}`, or `{error, position}`: the character where the fault was noticed, from 0
    public static BsonDocument checkSyntax(BsonDocument content) {
        try {
            var predicate = content.get("predicate");
            if (predicate == null || !predicate.isString()) {
                return fault("predicate must be a text");
            }
            PredicateParser.parse(predicate.asString().getValue());
            PermissionKeys.require(content, true);
            checkGrant(content.get("mongo"));
            return new BsonDocument("ok", BsonBoolean.TRUE);
        } catch (PredicateException e) {
            return fault(String.valueOf(e.getMessage())).append("position", new BsonInt32(e.position()));
        } catch (PermissionException e) {
            return fault(String.valueOf(e.getMessage()));
        }
    }

    private static BsonDocument fault(String message) {
        return new BsonDocument("error", new BsonString(message));
    }

    private static Predicate predicate(@Nullable BsonValue value) throws PermissionException {
        if (value == null || !value.isString()) {
            throw new PermissionException("predicate must be a text");
        }
        try {
            return PredicateParser.parse(value.asString().getValue());
        } catch (PredicateException e) {
            throw new PermissionException("predicate does not parse: " + e.getMessage());
        }
    }

    private static Access grant(@Nullable BsonValue value) throws PermissionException {
        var mongo = switch (value) {
            case null -> new BsonDocument();
            case BsonNull _ -> new BsonDocument();
            case BsonDocument written -> written;
            default -> throw new PermissionException("mongo must be an object");
        };
        var allowed = EnumSet.noneOf(Privilege.class);
        for (var demand : Privilege.values()) {
            if (flag(mongo, demand.flag())) {
                allowed.add(demand);
            }
        }
        return new Access.RowPolicy(
                allowed,
                object(mongo, "readFilter").map(PermissionReader::unescaped),
                object(mongo, "writeFilter").map(PermissionReader::unescaped),
                object(mongo, "mergeRequest"),
                projection(mongo),
                flag(mongo, "checkWritten"),
                flag(mongo, "requireIndex"),
                flag(mongo, "serverTiming"));
    }

    private static boolean flag(BsonDocument mongo, String key) throws PermissionException {
        var value = mongo.get(key);
        if (value == null || value.isNull()) {
            return false;
        }
        if (!value.isBoolean()) {
            throw new PermissionException("mongo." + key + " must be true or false");
        }
        return value.asBoolean().getValue();
    }

    private static Optional<BsonDocument> object(BsonDocument mongo, String key) throws PermissionException {
        var value = mongo.get(key);
        if (value == null || value.isNull()) {
            return Optional.empty();
        }
        if (value.isString()) {
            return Optional.of(parse(key, value.asString().getValue()));
        }
        if (!value.isDocument()) {
            throw new PermissionException("mongo." + key + " must be an object");
        }
        return Optional.of(value.asDocument());
    }

    /// An operator would be stored as a property of that name by inserts, and let changes fail.
    private static void requireProperties(BsonDocument mongo) throws PermissionException {
        for (var key : object(mongo, "mergeRequest").map(BsonDocument::keySet).orElse(Set.of())) {
            if (key.startsWith("$")) {
                throw new PermissionException("mongo.mergeRequest has the operator " + ShortText.of(key, MAX_QUOTED)
                        + "; it names properties and their values, such as {'owner': '@user._id'}");
            }
        }
    }

    private static BsonDocument parse(String key, String json) throws PermissionException {
        try {
            if (JsonParser.parseWhole(json.getBytes(StandardCharsets.UTF_8)) instanceof BsonDocument document) {
                return document;
            }
        } catch (MalformedJsonException _) {
            // as for JSON that is not an object
        }
        throw new PermissionException("mongo." + key + " is not a JSON object");
    }

    /// Only 0 or only 1: a mixture would depend on the order of the keys.
    private static Optional<BsonDocument> projection(BsonDocument mongo) throws PermissionException {
        var projection = object(mongo, "projectResponse");
        if (projection.isPresent()) {
            var values = new ArrayList<Double>();
            for (var value : projection.get().values()) {
                values.add(value.isNumber() ? value.asNumber().doubleValue() : Double.NaN);
            }
            if (!values.stream().allMatch(value -> value == 0)
                    && !values.stream().allMatch(value -> value == 1)) {
                throw new PermissionException("mongo.projectResponse must have the values 0 only or 1 only");
            }
        }
        return projection;
    }

    /// Filters in documents may have their keys escaped: `_$or` for `$or`, `::` for a dot.
    private static BsonDocument unescaped(BsonDocument filter) {
        return BsonValues.renamed(
                BsonValues.copy(filter, (_, value) -> unescaped(value)),
                key -> (key.startsWith("_$") ? key.substring(1) : key).replace("::", "."));
    }

    private static BsonValue unescaped(BsonValue value) {
        return value instanceof BsonDocument document
                ? unescaped(document)
                : BsonValues.copy(value, PermissionReader::unescaped);
    }

    /// Finds misspelt variables and operators in a permission's filters. MongoDB would refuse every request
    /// with such a filter.
    private static final class RuleFilterCheck {
        private static final Set<String> VARIABLES = Stream.concat(
                        PredicateParser.FILTER_VARIABLES.stream(), Stream.of("%USER", "%ROLES", "%NOW"))
                .collect(Collectors.toUnmodifiableSet());

        private RuleFilterCheck() {}

        /// @throws PermissionException naming the first one
        static void require(Access grant) throws PermissionException {
            requireFilter("mongo.readFilter", grant.readFilter());
            requireFilter("mongo.writeFilter", grant.writeFilter());
            if (grant.mergeRequest().isPresent()) {
                requireVariables("mongo.mergeRequest", grant.mergeRequest().get(), false);
            }
        }

        private static void requireFilter(String name, Optional<BsonDocument> filter) throws PermissionException {
            if (filter.isPresent()) {
                requireVariables(name, filter.get(), true);
                var unknown = NamedOperators.unknown(
                        walk -> walk.filter(filter.get(), Location.of(name)), RuleFilterCheck::meantVariable);
                for (var found : unknown) {
                    if (found.place() == Place.QUERY) {
                        throw new PermissionException(name + " has " + found);
                    }
                }
            }
        }

        /// @param isFilter whether a text such as `$user._id` means nothing but itself, as it does outside
        ///     of `$expr`
        private static void requireVariables(String name, BsonValue value, boolean isFilter)
                throws PermissionException {
            switch (value) {
                case BsonDocument document -> {
                    for (var entry : document.entrySet()) {
                        requireVariables(
                                name,
                                entry.getValue(),
                                isFilter && !entry.getKey().equals("$expr"));
                    }
                }
                case BsonArray array -> {
                    for (var element : array) {
                        requireVariables(name, element, isFilter);
                    }
                }
                case BsonString text -> requireVariable(name, text.getValue(), isFilter);
                default -> {}
            }
        }

        private static void requireVariable(String name, String text, boolean isFilter) throws PermissionException {
            var meant = isFilter ? meantVariable(text) : Optional.<String>empty();
            if (meant.isPresent()) {
                throw new PermissionException(name + " has the text " + text + "; did you mean " + meant.get() + "?");
            }
            boolean isSigned = text.startsWith("@") || text.startsWith("%");
            if (isSigned && !FilterVariables.occurIn(new BsonString(text))) {
                var head = text.split("[.(\\[]", 2)[0];
                var near = text.equals("@rnd") // which has an argument
                        ? Optional.of("@rnd(128)")
                        // %%user.id is how rules of Atlas App Services name the account
                        : head.equals("%%user") ? Optional.of("@user._id") : Nearest.to(head, VARIABLES);
                if (near.isPresent()) {
                    throw new PermissionException(
                            name + " names the unknown variable " + text + "; did you mean " + near.get() + "?");
                }
            }
        }

        /// The variable that is written with `$` in place of its own sign.
        private static Optional<String> meantVariable(String text) {
            if (!text.startsWith("$")) {
                return Optional.empty();
            }
            var rest = text.substring(1);
            var head = rest.split("[.(\\[]", 2)[0];
            return VARIABLES.stream()
                    .filter(variable -> variable.substring(1).equals(head))
                    .map(variable -> variable.charAt(0) + rest)
                    .findFirst();
        }
    }

    /// Warns of what is accepted in a permission and is probably meant otherwise: what MongoDB takes
    /// literally in its filters, and roles that nobody has unless an account names them, and that seem to
    /// stand for more.
    private static final class PermissionWarnings {
        private static final int MAX_QUOTED = 150;

        /// A variable of the account without its sign, or as templates elsewhere are written.
        private static final Pattern UNSIGNED = Pattern.compile("[${]*(user\\.[A-Za-z0-9_.]+)}*");

        /// Other roles of at most this edit distance count as misspelt.
        private static final int MAX_DISTANCE = 2;

        private static final List<Hint<String>> OF_ROLES = List.of(
                Hint.of(
                        PermissionWarnings::isNearlyUnauthenticated,
                        role -> "the role of requests without credentials is " + AclAuthorizer.UNAUTHENTICATED
                                + "; this permission is for accounts with the role " + role),
                Hint.of(
                        role -> role.startsWith("$") && !isNearlyUnauthenticated(role),
                        role -> "the role " + role
                                + " stands for nobody by itself; this permission is for accounts with the role "
                                + role));

        private PermissionWarnings() {}

        static List<String> of(List<String> roles, Access grant) {
            var warnings = new ArrayList<String>();
            roles.stream()
                    .filter(role -> !role.equals(AclAuthorizer.UNAUTHENTICATED))
                    .forEach(role -> warnings.addAll(Hint.about(ShortText.of(role, MAX_QUOTED), OF_ROLES)));
            grant.readFilter().ifPresent(filter -> addFilter("mongo.readFilter", filter, warnings));
            grant.writeFilter().ifPresent(filter -> addFilter("mongo.writeFilter", filter, warnings));
            grant.mergeRequest().ifPresent(merged -> addUnsigned("mongo.mergeRequest", "", merged, warnings));
            return warnings;
        }

        private static void addFilter(String name, BsonDocument filter, List<String> warnings) {
            FilterMistakes.in(name, filter).ifPresent(warnings::add);
            addUnsigned(name, "", filter, warnings);
        }

        private static void addUnsigned(String name, String field, BsonValue value, List<String> warnings) {
            switch (value) {
                case BsonDocument document ->
                    document.forEach(
                            (key, part) -> addUnsigned(name, key.startsWith("$") ? field : key, part, warnings));
                case BsonArray array -> array.forEach(part -> addUnsigned(name, field, part, warnings));
                case BsonString text -> {
                    var matcher = UNSIGNED.matcher(text.getValue());
                    if (matcher.matches()) {
                        // such as the kind of an event: no question, since the text may be meant
                        warnings.add(name + " has "
                                + ShortText.of("the text " + text.getValue() + " for " + field, MAX_QUOTED)
                                + ", which is taken literally; a property of the account is written @"
                                + matcher.group(1));
                    }
                }
                default -> {}
            }
        }

        /// `$authenticated` is as near, and means the contrary.
        private static boolean isNearlyUnauthenticated(String role) {
            return role.toLowerCase(Locale.ROOT).contains("un")
                    && Nearest.distance(role, AclAuthorizer.UNAUTHENTICATED) <= MAX_DISTANCE;
        }
    }

    /// The keys of permissions. Unknown keys are refused, since a misspelt or misplaced restriction would
    /// silently have no effect.
    static final class PermissionKeys {
        private static final KnownKeys KEYS = KnownKeys.of("roles predicate priority mongo");
        private static final KnownKeys OF_FILES = KEYS.and("role");
        private static final KnownKeys MONGO = KnownKeys.of(
                        Arrays.stream(Privilege.values()).map(Privilege::flag).collect(Collectors.joining(" ")))
                .and("readFilter writeFilter mergeRequest projectResponse checkWritten requireIndex serverTiming");

        /// What is meant by keys that other programs have for restrictions.
        private static final Map<Set<String>, String> ADVICE = Map.of(
                Words.of("filter filters query where condition conditions restrict restriction restrictions"),
                "did you mean mongo.readFilter or mongo.writeFilter?",
                Words.of("projection project fields"),
                "did you mean mongo.projectResponse?",
                Words.of("method methods"),
                "a permission for some methods has method(GET) in its predicate",
                Words.of("enabled disabled active deny"),
                "a permission that should not apply is deleted");

        private PermissionKeys() {}

        /// Refuses unknown and misplaced keys of restrictions, which would widen access. Also applied to
        /// stored permissions: one with such a key is not used.
        ///
        /// @throws PermissionException naming the first such key
        static void requireRestrictions(BsonDocument permission) throws PermissionException {
            for (var entry : permission.entrySet()) {
                var key = entry.getKey();
                if (OF_FILES.known().contains(key)) {
                    continue;
                }
                var meant = MONGO.near(key);
                if (meant.isPresent()) {
                    throw new PermissionException(key + " has no effect beside mongo; did you mean mongo." + meant.get()
                            + ", within the object mongo?");
                }
                if (entry.getValue() instanceof BsonDocument object && isMongo(key, object)) {
                    throw new PermissionException(key + " is unknown; did you mean mongo?");
                }
            }
            if (permission.get("mongo") instanceof BsonDocument mongo) {
                requireKnown(mongo);
            }
        }

        /// Whether an object may be `mongo` under a misspelt name.
        private static boolean isMongo(String key, BsonDocument object) {
            return Nearest.to(key, List.of("mongo")).isPresent()
                    || object.keySet().stream()
                            .anyMatch(each -> MONGO.near(each).isPresent());
        }

        /// As [#requireRestrictions(BsonDocument)], and refuses all other unknown keys, operators and
        /// variables.
        ///
        /// @throws PermissionException naming the first key, operator or variable
        static void require(BsonDocument permission, boolean isOfFile) throws PermissionException {
            requireRestrictions(permission);
            var keys = isOfFile ? OF_FILES : KEYS;
            var misspelt = keys.misspelt(permission);
            if (misspelt.isPresent()) {
                throw new PermissionException(misspelt.get());
            }
            for (var key : permission.keySet()) {
                var advice = advice(key);
                if (!keys.has(key) && advice.isPresent()) {
                    throw new PermissionException(key + " would restrict nothing; " + advice.get());
                }
            }
            var priority = permission.get("priority");
            if (priority != null && !priority.isNull() && !(priority instanceof BsonNumber)) {
                throw new PermissionException("priority must be a number");
            }
        }

        /// @throws PermissionException naming the first key that no permission has
        static void requireKnown(BsonDocument mongo) throws PermissionException {
            for (var key : mongo.keySet()) {
                if (!MONGO.has(key)) {
                    throw new PermissionException("mongo." + key + " is unknown"
                            + MONGO.near(key)
                                    .map(near -> "; did you mean mongo." + near + "?")
                                    .or(() -> advice(key).map(advice -> "; " + advice))
                                    .orElse(""));
                }
            }
        }

        private static Optional<String> advice(String key) {
            return ADVICE.entrySet().stream()
                    .filter(entry -> entry.getKey().contains(key.toLowerCase(Locale.ROOT)))
                    .map(Map.Entry::getValue)
                    .findFirst();
        }

        /// The keys that have no effect, and are not refused: former permissions have them, too.
        static List<String> withoutEffect(BsonDocument permission) {
            return permission.keySet().stream().filter(key -> !KEYS.has(key)).toList();
        }
    }
}
