package org.restheart.http.module;

import java.time.Instant;
import java.util.List;
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

    /// Projections that remove these, by the full name of the collection.
    Map<String, BsonDocument> secrets();

    /// The full names of collections that only the gateway itself reads.
    Set<String> reserved();

    /// Whether a permission can be parsed.
    ///
    /// @param content `{predicate, mongo}`, as in a permission
    /// @return `{ok: true}`, or `{error, position}`: the character where the fault was noticed, from 0
    BsonDocument checkSyntax(BsonDocument content);

    /// The credential of the caller of a request.
    PresentedCredential credential(Request request);

    /// The challenges of mechanisms to clients without an account.
    List<String> challenges(Request request);

    /// The public URL of the server for a request of the Model Context Protocol.
    String modelContextBase(Request request);

    /// A key for a purpose, the same in all gateways that share the key of tokens.
    byte[] key(String purpose);

    /// Uses up an identifier, at all gateways that share the key of tokens. May block.
    ///
    /// @param until when it is not accepted any more anyway
    /// @return false if it was used before
    /// @throws org.restheart.http.ProblemException 503 if other gateways cannot be told now
    boolean useUp(String id, Instant until);

    /// The full names of the collections of accounts, permissions, keys and sessions.
    Set<String> collections();
}
