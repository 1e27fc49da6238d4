package org.restheart.security.acl;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Privilege;
import org.restheart.http.Nearest;

/// The keys of permissions. Unknown keys are refused, since a misspelt or misplaced restriction would silently have
/// no effect.
final class PermissionKeys {
    private static final Set<String> KEYS = Set.of("roles", "predicate", "priority", "mongo");
    private static final Set<String> FILE_KEYS = Set.of("role", "roles", "predicate", "priority", "mongo");
    private static final Set<String> MONGO_KEYS = Stream.concat(
                    Arrays.stream(Privilege.values()).map(Privilege::flag),
                    Stream.of("readFilter", "writeFilter", "mergeRequest", "projectResponse", "checkWritten"))
            .collect(Collectors.toUnmodifiableSet());

    /// Keys for the author's own notes.
    private static final Set<String> NOTES = Set.of("comment", "description");

    private PermissionKeys() {}

    /// Refuses unknown and misplaced keys of restrictions, which would widen access. Also applied to stored
    /// permissions: one with such a key is not used.
    ///
    /// @throws PermissionException naming the first such key
    static void requireRestrictions(BsonDocument permission) throws PermissionException {
        for (var key : permission.keySet()) {
            var meant = KEYS.contains(key) ? null : Nearest.to(key, MONGO_KEYS).orElse(null);
            if (meant != null) {
                throw new PermissionException(key + " has no effect beside mongo; did you mean mongo." + meant
                        + ", within the object mongo?");
            }
        }
        for (var entry : permission.entrySet()) {
            if (!FILE_KEYS.contains(entry.getKey()) && entry.getValue() instanceof BsonDocument object) {
                requireNoRestriction(entry.getKey(), object);
            }
        }
        if (permission.get("mongo") instanceof BsonDocument mongo) {
            requireKnown(mongo);
        }
    }

    /// An object that may be `mongo` under a misspelt name.
    private static void requireNoRestriction(String key, BsonDocument object) throws PermissionException {
        boolean isMongo = Nearest.to(key, List.of("mongo")).isPresent()
                || object.keySet().stream()
                        .anyMatch(each -> Nearest.to(each, MONGO_KEYS).isPresent());
        if (isMongo) {
            throw new PermissionException(key + " is unknown; did you mean mongo?");
        }
    }

    /// As [#requireRestrictions(BsonDocument)], and refuses all other unknown keys, operators and variables.
    ///
    /// @throws PermissionException naming the first key, operator or variable
    static void require(BsonDocument permission, boolean isOfFile) throws PermissionException {
        requireRestrictions(permission);
        var known = isOfFile ? FILE_KEYS : KEYS;
        for (var key : permission.keySet()) {
            if (!known.contains(key) && !isNote(key)) {
                var near = Nearest.to(key, known);
                if (near.isPresent()) {
                    throw new PermissionException(key + " is unknown; did you mean " + near.get() + "?");
                }
                var advice = adviceAbout(key);
                if (advice != null) {
                    throw new PermissionException(key + " would restrict nothing; " + advice);
                }
            }
        }
        var priority = permission.get("priority");
        if (priority != null && !priority.isNull() && !(priority instanceof BsonNumber)) {
            throw new PermissionException("priority must be a number");
        }
    }

    /// @throws PermissionException naming the first key that no permission has
    static void requireKnown(BsonDocument mongo) throws PermissionException {
        List<String> unknown = new ArrayList<>(mongo.keySet());
        unknown.removeIf(key -> MONGO_KEYS.contains(key) || isNote(key));
        if (!unknown.isEmpty()) {
            var key = unknown.getFirst();
            throw new PermissionException("mongo." + key + " is unknown"
                    + Nearest.to(key, MONGO_KEYS)
                            .map(near -> "; did you mean mongo." + near + "?")
                            .or(() -> Optional.ofNullable(adviceAbout(key)).map(advice -> "; " + advice))
                            .orElse(""));
        }
    }

    /// What is meant by a key that other programs have for restrictions; null if it is none.
    private static @Nullable String adviceAbout(String key) {
        return switch (key.toLowerCase(Locale.ROOT)) {
            case "filter",
                    "filters",
                    "query",
                    "where",
                    "condition",
                    "conditions",
                    "restrict",
                    "restriction",
                    "restrictions" -> "did you mean mongo.readFilter or mongo.writeFilter?";
            case "projection", "project", "fields" -> "did you mean mongo.projectResponse?";
            case "method", "methods" -> "a permission for some methods has method(GET) in its predicate";
            case "enabled", "disabled", "active", "deny" -> "a permission that should not apply is deleted";
            default -> null;
        };
    }

    /// The keys that have no effect, and are not refused: former permissions have them, too.
    static List<String> withoutEffect(BsonDocument permission) {
        return permission.keySet().stream()
                .filter(key -> !KEYS.contains(key) && !isNote(key))
                .toList();
    }

    private static boolean isNote(String key) {
        return key.startsWith("_") || NOTES.contains(key);
    }
}
