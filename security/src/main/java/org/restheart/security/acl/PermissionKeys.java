package org.restheart.security.acl;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.restheart.data.Privilege;
import org.restheart.http.KnownKeys;
import org.restheart.http.Nearest;
import org.restheart.http.Words;

/// The keys of permissions. Unknown keys are refused, since a misspelt or misplaced restriction would silently have
/// no effect.
final class PermissionKeys {
    private static final KnownKeys KEYS = KnownKeys.of("roles predicate priority mongo");
    private static final KnownKeys OF_FILES = KEYS.and("role");
    private static final KnownKeys MONGO = KnownKeys.of(
                    Arrays.stream(Privilege.values()).map(Privilege::flag).collect(Collectors.joining(" ")))
            .and("readFilter writeFilter mergeRequest projectResponse checkWritten");

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

    /// Refuses unknown and misplaced keys of restrictions, which would widen access. Also applied to stored
    /// permissions: one with such a key is not used.
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
                || object.keySet().stream().anyMatch(each -> MONGO.near(each).isPresent());
    }

    /// As [#requireRestrictions(BsonDocument)], and refuses all other unknown keys, operators and variables.
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
