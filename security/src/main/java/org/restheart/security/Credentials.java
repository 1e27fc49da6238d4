package org.restheart.security;

import java.time.Instant;
import java.util.Optional;
import org.restheart.http.attribute.Key;

/// How an account has shown who it is.
///
/// @param source the realm or the issuer that knows the account: two accounts of one name from different
///     sources are not the same
/// @param token what was shown, if it was a token and not a password
public record Credentials(String source, Optional<Token> token) {
    /// Set by the security filter for authenticated requests.
    public static final Key<Credentials> KEY = Key.named("credentials");

    /// A token.
    ///
    /// @param id its `jti`
    /// @param lineage of a token that was made here for an account of a realm
    public record Token(String text, Optional<String> id, Optional<Instant> expires, Optional<Lineage> lineage) {
        @Override
        public String toString() {
            return "Token[" + id.orElse("") + "]";
        }
    }

    /// Which log-in a token goes back to, and of which state of the account.
    ///
    /// @param id shared by all tokens that were renewed from one
    /// @param source the realm that knows the account
    /// @param generation changes with the account's password; another account of the same name has another
    public record Lineage(String id, String source, String generation) {}

    public static Credentials password(String source) {
        return new Credentials(source, Optional.empty());
    }

    /// When they end, if they do.
    public Optional<Instant> expires() {
        return token.flatMap(Token::expires);
    }
}
