package org.restheart.http.module;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// What services of modules ask of security. Thread-safe.
public interface CallerSecurity {
    /// May do everything.
    Optional<String> rootRole();

    /// The answer to a request that needs an account.
    Problem challenge(Request request);

    /// The account of this name: of the realm of HTTP Basic, if it has one, else of any realm. May block.
    Optional<Account> account(Request request, String name);

    /// The authentication mechanisms as OpenAPI's security schemes.
    BsonDocument schemes();

    /// The collections of `accounts` and of `permissions`, by full name.
    Map<String, String> stores();

    /// Properties of documents that are written and never read, such as passwords, by the full name of the collection.
    Map<String, Set<String>> passwords();

    /// Whether a permission can be parsed.
    ///
    /// @param content `{predicate, mongo}`, as in a permission
    /// @return `{ok: true}`, or `{error, position}`: the character where the fault was noticed, from 0
    BsonDocument checkSyntax(BsonDocument content);
}
