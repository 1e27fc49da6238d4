package org.restheart.core.config;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Nearest;
import org.restheart.security.acl.Permission;
import org.restheart.security.acl.PermissionException;
import org.restheart.security.acl.PermissionReader;
import org.restheart.security.realm.FileRealm;

/// `fileRealmAuthenticator` and `fileAclAuthorizer`: accounts and permissions in the configuration itself, or
/// in files of their own.
final class SecurityFiles {
    private static final Pattern NAMES_ID = Pattern.compile("@user\\._id(?![A-Za-z0-9_])");
    private static final Set<String> USER_KEYS = Set.of("userid", "password", "roles");

    private SecurityFiles() {}

    /// Empty when the component is off.
    static Optional<List<FileRealm.User>> users(Block block) {
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        var users = new ArrayList<FileRealm.User>();
        var names = new HashSet<String>();
        for (var user : entries(block, "users")) {
            var name = user.requiredText("userid");
            if (!names.add(name)) {
                user.suspect("userid", "occurs twice: " + name + "; only the last of these accounts counts");
            }
            reportMisspelt(user);
            var roles = user.has("roles") ? user.texts("roles") : missingRoles(user);
            var properties = document(user.toMap());
            properties.remove("password");
            if (user.has("password")) {
                users.add(new FileRealm.User(name, user.textOrEmpty("password"), roles, properties));
            } else {
                user.advise("password", "is null: the account " + name + " is disabled");
            }
            if (user.isNumber("password")) {
                user.advise("password", "is a number, which may have been written in another way: put it in quotes");
            }
        }
        return Optional.of(List.copyOf(users));
    }

    /// Further keys are properties of the account, but hardly those with the name of another key but for a letter.
    private static void reportMisspelt(Block user) {
        for (var key : user.toMap().keySet()) {
            if (!USER_KEYS.contains(key)) {
                Nearest.to(key, USER_KEYS)
                        .ifPresent(near -> user.unknown(key, "has no meaning; did you mean " + near + "?"));
            }
        }
    }

    private static List<String> missingRoles(Block user) {
        user.refuse("roles", "is required and must be a list of texts, which may be empty");
        return List.of();
    }

    /// Empty when the component is off. A permission that cannot be used is reported and left out.
    ///
    /// @param withoutId whether all accounts are of a file, and none has the property `_id`
    static Optional<List<Permission>> permissions(Block block, boolean withoutId) {
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        var permissions = new ArrayList<Permission>();
        for (var entry : entries(block, "permissions")) {
            try {
                var document = document(entry.toMap());
                permissions.add(PermissionReader.ofFile(entry.path(), document));
                PermissionReader.warnings(document).forEach(warning -> entry.advise("", warning));
                if (withoutId && NAMES_ID.matcher(document.toJson()).find()) {
                    entry.advise(
                            "", "names @user._id, which accounts of files do not have; their name is @user.userid");
                }
            } catch (PermissionException e) {
                entry.suspect("", "is not used: " + e.getMessage());
            }
        }
        return Optional.of(List.copyOf(permissions));
    }

    /// Reports accounts that are refused everything: no permission is for one of their roles.
    ///
    /// @param permissions all that may allow them something
    static void reportUnusedRoles(Block root, List<Permission> permissions) {
        var known = permissions.stream()
                .flatMap(permission -> permission.roles().stream())
                .collect(Collectors.toUnmodifiableSet());
        var realm = root.block("fileRealmAuthenticator");
        if (realm.bool("enabled")) {
            entries(realm, "users").stream()
                    .filter(user -> user.toMap().get("roles") instanceof List)
                    .forEach(user -> reportUnused(user, "roles", known));
        }
        for (var mechanism : List.of("identityAuthMechanism", "jwtAuthenticationMechanism")) {
            var block = root.block(mechanism);
            if (block.bool("enabled")) {
                reportUnused(block, mechanism.startsWith("jwt") ? "fixedRoles" : "roles", known);
            }
        }
    }

    private static void reportUnused(Block block, String key, Set<String> known) {
        var roles = block.has(key) ? block.texts(key) : List.<String>of();
        if (!roles.isEmpty() && roles.stream().noneMatch(known::contains)) {
            block.advise(
                    key,
                    "is " + String.join(", ", roles)
                            + ", for which there is no permission: the account is refused (403) what permissions allow"
                            + roles.stream()
                                    .map(role -> Nearest.question(role, known))
                                    .filter(question -> !question.isEmpty())
                                    .findFirst()
                                    .orElse(""));
        }
    }

    private static List<Block> entries(Block block, String list) {
        var file = block.file("conf-file");
        var source = file.orElse(block);
        if (file.isEmpty() && block.has("conf-file")) {
            return List.of(); // what is wrong with it is reported
        }
        if (!source.has(list)) {
            source.refuse(list, "is required" + (file.isPresent() ? "" : ", or conf-file"));
        }
        return source.blocks(list);
    }

    /// Values of the configuration as BSON, the common form of accounts and permissions.
    private static BsonDocument document(Map<?, ?> map) {
        var document = new BsonDocument();
        map.forEach((key, value) -> document.append(String.valueOf(key), value(value)));
        return document;
    }

    private static BsonValue value(@Nullable Object value) {
        return switch (value) {
            case null -> BsonNull.VALUE;
            case Map<?, ?> map -> document(map);
            case List<?> list -> {
                var array = new BsonArray();
                list.forEach(member -> array.add(value(member)));
                yield array;
            }
            case String text -> new BsonString(text);
            case Boolean flag -> BsonBoolean.valueOf(flag);
            case Integer number -> new BsonInt32(number);
            case Long number -> new BsonInt64(number);
            case BigInteger number -> new BsonDecimal128(new Decimal128(new BigDecimal(number)));
            case Double number -> new BsonDouble(number);
            default -> new BsonString(value.toString());
        };
    }
}
