package org.restheart.security;

import java.time.Instant;
import java.util.Optional;
import org.restheart.http.attribute.Key;

/// The credentials with which a request was authenticated.
///
/// @param source the realm or the issuer of the account: accounts of one name from different sources are different
/// @param token the token, if the credentials were not a password
public record Credentials(String source, Optional<Token> token) {
    /// Set by the security filter for authenticated requests.
    public static final Key<Credentials> KEY = Key.named("credentials");

    /// A token.
    ///
    /// @param id its `jti`
    /// @param lineage of a token that this gateway issued for an account of a realm
    public record Token(String text, Optional<String> id, Optional<Instant> expires, Optional<Lineage> lineage) {
        @Override
        public String toString() {
            return "Token[" + id.orElse("") + "]";
        }
    }

    /// The log-in from which a token was derived, and the state of the account then.
    ///
    /// @param id shared by all tokens that were renewed from one
    /// @param source the realm of the account
    /// @param generation changes with the account's password; another account of the same name has another
    public record Lineage(String id, String source, String generation) {}

    public static Credentials password(String source) {
        return new Credentials(source, Optional.empty());
    }

    /// When they expire, if they do.
    public Optional<Instant> expires() {
        return token.flatMap(Token::expires);
    }
}
