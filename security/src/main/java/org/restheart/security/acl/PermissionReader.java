package org.restheart.security.acl;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.ShortText;
import org.restheart.security.predicate.Predicate;
import org.restheart.security.predicate.PredicateException;
import org.restheart.security.predicate.PredicateParser;

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
                flag(mongo, "checkWritten"));
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
        var plain = new BsonDocument();
        filter.forEach((key, value) ->
                plain.append((key.startsWith("_$") ? key.substring(1) : key).replace("::", "."), unescaped(value)));
        return plain;
    }

    private static BsonValue unescaped(BsonValue value) {
        return switch (value) {
            case BsonDocument document -> unescaped(document);
            case BsonArray array ->
                new BsonArray(array.stream().map(PermissionReader::unescaped).toList());
            default -> value;
        };
    }
}
