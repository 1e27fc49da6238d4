package org.restheart.security;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonString;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Account;
import org.restheart.http.attribute.Key;

/// The credentials with which a request was authenticated.
///
/// @param source the realm or the issuer of the account: accounts of one name from different sources are
///     different
/// @param token the token, if the credentials were not a password
public record Credentials(String source, Optional<Token> token) {
    public static final String API_KEYS = "apiKeyRealm";

    public static final String TOKENS = "jwt";

    /// Set by the security filter for authenticated requests.
    public static final Key<Credentials> KEY = Key.named("credentials");

    /// The path to which the client sent them, for a request that is made inside of another: tokens may be
    /// good for one endpoint alone.
    public static final Key<RequestPath> SENT_TO = Key.named("path of credentials");

    /// A token.
    ///
    /// @param lineage of a token that this gateway issued for an account of a realm
    /// @param scopes to which it is limited; empty if it is not
    public record Token(
            String text,
            Optional<String> id,
            Optional<Instant> expires,
            Optional<Lineage> lineage,
            Set<String> scopes) {
        public Token {
            scopes = Set.copyOf(scopes);
        }

        public Token(String text, Optional<String> id, Optional<Instant> expires, Optional<Lineage> lineage) {
            this(text, id, expires, lineage, Set.of());
        }

        @Override
        public String toString() {
            return "Token[" + id.orElse("") + "]";
        }
    }

    /// The log-in from which a token was derived, and the state of the account then.
    ///
    /// @param id shared by all tokens that were renewed from one
    /// @param generation changes with the account's password; another account of the same name has another
    public record Lineage(String id, String source, String generation, Origin origin) {
        /// The handle of the API key with which the log-in was made.
        public Optional<String> apiKey() {
            return origin instanceof Origin.ApiKey(var handle) ? Optional.of(handle) : Optional.empty();
        }

        /// Whether the log-in was anonymous, so that its account is shared.
        public boolean isAnonymous() {
            return origin instanceof Origin.Nothing;
        }
    }

    /// The credentials of a log-in, which restrict what its tokens allow.
    public sealed interface Origin {
        /// A password, or a token of another issuer.
        record Password() implements Origin {}

        /// An API key, whose limits apply to the tokens too.
        record ApiKey(String handle) implements Origin {}

        /// No credentials: all anonymous clients share the account, and none of them may change it.
        record Nothing() implements Origin {}
    }

    public static Credentials password(String source) {
        return new Credentials(source, Optional.empty());
    }

    /// An API key, as a token whose id is the handle of the key.
    public static Credentials apiKey(String handle, Optional<Instant> expires) {
        return new Credentials(API_KEYS, Optional.of(new Token("", Optional.of(handle), expires, Optional.empty())));
    }

    /// The handle of the API key: that of the request, or of the log-in from which its token was derived.
    public Optional<String> apiKey() {
        return source.equals(API_KEYS) ? token.flatMap(Token::id) : lineage().flatMap(Lineage::apiKey);
    }

    /// Of a token that this gateway issued for an account of a realm.
    public Optional<Lineage> lineage() {
        return token.flatMap(Token::lineage);
    }

    public Set<String> scopes() {
        return token.map(Token::scopes).orElse(Set.of());
    }

    /// Whether they allow less than the account may do: see [#requireLogIn()].
    boolean areLimited() {
        return isApiKey() || !scopes().isEmpty();
    }

    public boolean isApiKey() {
        return source.equals(API_KEYS) || apiKey().isPresent();
    }

    /// Whether they are a token of a session that was begun without credentials.
    public boolean isAnonymous() {
        return lineage().filter(Lineage::isAnonymous).isPresent();
    }

    /// Returns these credentials if others may be derived from them. None are derived from an API key: they
    /// would not have its limits, such as address ranges, and would outlive its revocation. None are derived
    /// from an anonymous session: all anonymous clients share one account, whose keys and tokens none of them
    /// may create or revoke. None are derived from a token with scopes: they would not have these.
    ///
    /// @throws org.restheart.http.ProblemException 403 for an API key, an anonymous session or scopes
    public Credentials requireLogIn() {
        if (isAnonymous()) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN,
                    "not with an anonymous session: log in with an account of your own for that");
        }
        if (isApiKey()) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN,
                    "not with an API key: tokens are issued, and keys managed, for the password of the account"
                            + " or a token that was issued for it");
        }
        if (!scopes().isEmpty()) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN,
                    "not with a token for " + String.join(" ", new TreeSet<>(scopes()))
                            + " alone: log in without a scope for that");
        }
        return this;
    }

    /// The realm of the account: that of its log-in for a token; otherwise the source.
    public String realm() {
        return lineage().map(Lineage::source).orElse(source);
    }

    /// Identifies the caller ([Caller#identity()]): the account by its realm and name, whether its password or
    /// a token that was issued for it was sent; the subject of another issuer's token; the API key, which may
    /// have fewer rights than its account; the session, if it was begun without credentials.
    public String identity(Account account) {
        if (isAnonymous()) {
            return text("session", lineage().orElseThrow().id());
        }
        if (isApiKey()) {
            return text("key", apiKey().orElse(""));
        }
        boolean foreign = source.equals(TOKENS) && lineage().isEmpty();
        return foreign && account.claims().get("sub") instanceof BsonString subject
                ? text("subject", source, account.name(), subject.getValue())
                : text("account", realm(), account.name());
    }

    /// A text that contains the length of each part, so that it is different for different parts.
    private static String text(String kind, String... parts) {
        var text = new StringBuilder(kind);
        for (var part : parts) {
            text.append(' ').append(part.length()).append(':').append(part);
        }
        return text.toString();
    }

    public Optional<Instant> expires() {
        return token.flatMap(Token::expires);
    }
}
