package org.restheart.core.config;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The account whose password is publicly known, since it comes with the built-in configuration.
public final class DefaultAccount {
    public static final String NAME = "admin";
    public static final String PASSWORD = "secret";

    private DefaultAccount() {}

    /// Whether the configuration itself has the account.
    static boolean isIn(Map<String, @Nullable Object> tree) {
        return tree.get("fileRealmAuthenticator") instanceof Map<?, ?> realm
                && !Boolean.FALSE.equals(realm.get("enabled"))
                && !(realm.get("conf-file") instanceof String)
                && realm.get("users") instanceof List<?> users
                && users.stream().anyMatch(DefaultAccount::isIt);
    }

    private static boolean isIt(@Nullable Object user) {
        return user instanceof Map<?, ?> properties
                && NAME.equals(properties.get("userid"))
                && PASSWORD.equals(properties.get("password"));
    }
}
