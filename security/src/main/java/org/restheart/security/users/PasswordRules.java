package org.restheart.security.users;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.security.realm.PasswordHashes;

/// The requirements on new passwords and their stored form.
///
/// @param hash computes the stored form; may block
/// @param hashed whether that is a bcrypt hash, which looks at no more than 72 bytes
public record PasswordRules(UnaryOperator<String> hash, boolean hashed, Optional<PasswordStrength> strength) {
    /// Accepts no password: whoever sets the password of an account can log in as it, without the limits of the API key
    /// with which it was set.
    PasswordRules refusingAll() {
        return new PasswordRules(
                _ -> {
                    throw Problem.of(
                                    ProblemCode.FORBIDDEN,
                                    "an API key does not change the password of its account: sign in with the password")
                            .raise();
                },
                hashed,
                strength);
    }

    /// The stored form of a password.
    ///
    /// @param place in the content, for the message; empty for the only document
    /// @throws org.restheart.http.ProblemException 400
    String accept(String password, String place) {
        if (password.isEmpty()) {
            throw refuse("A password must not be empty" + place);
        }
        if (hashed && password.getBytes(StandardCharsets.UTF_8).length > PasswordHashes.MAX_PASSWORD_BYTES) {
            throw refuse("A password must not be longer than " + PasswordHashes.MAX_PASSWORD_BYTES + " bytes" + place);
        }
        strength.ifPresent(rule -> rule.check(password, place));
        return hash.apply(password);
    }

    static RuntimeException refuse(String message) {
        return Problem.of(ProblemCode.CONTENT_INVALID, message).raise();
    }
}
