package org.restheart.plugin;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Access;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// Allows requests that no access rule of the configuration and none in MongoDB allows. Asked again later for
/// responses that stay open, so it has no effects. An exception does not allow.
@FunctionalInterface
public interface AccessRule {
    /// @param request of a data request with its [target][org.restheart.http.access.DataTarget#KEY]
    /// @param account null for a request without credentials
    /// @return what the caller may do: [Access#plain()] and what can be made of that; empty if this rule does not
    ///     allow the request
    Optional<Access> allow(Request request, @Nullable Account account) throws Exception;

    /// Whether it may allow a request without credentials.
    default boolean isForAnonymous(Request request) {
        return false;
    }
}
