package org.restheart.security.token;

import static org.restheart.security.token.ResourceGrant.RESOURCE_CLAIM;
import static org.restheart.security.token.ResourceGrant.SCOPE_CLAIM;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.restheart.http.Digests;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.SecretValues;
import org.restheart.security.jwt.Claims;
import org.restheart.security.jwt.Jwt.JwtSigner;
import org.restheart.security.jwt.JwtVerifier;

/// Exchanges a code for a token, once, given the verifier of its challenge (RFC 7636, 4.5).
///
/// @param resources the resources and scopes that a token can be requested for; empty if these are
/// ignored
public record PkceCodeGrant(
        JwtVerifier verifier, JwtSigner signer, Duration lifetime, Optional<ResourceGrant> resources) {
    /// When the token must end at the latest, in seconds since 1970.
    static final String END_CLAIM = "cend";

    /// Claims of the code that are not copied to the token.
    static final Set<String> OF_THE_CODE = Set.of(
            "iss", "sub", "exp", "jti", "aud", "cc", "ccm", "ruri", "cid", END_CLAIM, RESOURCE_CLAIM, SCOPE_CLAIM);

    Response.Ready exchange(Request request, Query form) {
        var code = form.first("code").filter(text -> !text.isEmpty());
        if (code.isEmpty()) {
            return OAuthError.response(400, "invalid_request", "code is required");
        }
        var secret = form.first("code_verifier").filter(text -> !text.isEmpty());
        if (secret.isEmpty()) {
            return OAuthError.response(400, "invalid_request", "code_verifier is required");
        }
        var claims = verifier.verifyCode(request, code.get());
        if (claims.isEmpty()) {
            return OAuthError.response(400, "invalid_grant", "the code is not valid, or not any more");
        }
        if (!matches(claims.get(), secret.get())) {
            return OAuthError.response(400, "invalid_grant", "code_verifier does not match");
        }
        if (!sameIfSent(form, "redirect_uri", claims.get(), "ruri")
                || !sameIfSent(form, "client_id", claims.get(), "cid")) {
            return OAuthError.response(400, "invalid_grant", "the code was issued for another client or redirect_uri");
        }
        if (resources
                .filter(grant -> grant.isOther(request, form, claims.get()))
                .isPresent()) {
            return OAuthError.response(400, "invalid_target", ResourceGrant.OTHER);
        }
        request.requireThread();
        var first = verifier.revocations()
                .revoke(claims.get().id().orElseThrow(), claims.get().expires());
        return first ? token(claims.get()) : OAuthError.response(400, "invalid_grant", "the code has been used");
    }

    private static boolean matches(Claims claims, String secret) {
        var digest = Digests.sha256().digest(secret.getBytes(StandardCharsets.US_ASCII));
        return SecretValues.equal(SecretValues.base64(digest), claims.text("cc").orElse(""));
    }

    private static boolean sameIfSent(Query form, String field, Claims claims, String claim) {
        Optional<String> sent = form.first(field);
        return sent.isEmpty() || sent.equals(claims.text(claim));
    }

    private Duration lifetime(Claims code) {
        if (!(code.payload().get(END_CLAIM) instanceof BsonNumber end)) {
            return lifetime;
        }
        return Collections.min(
                List.of(lifetime, Duration.between(Instant.now(), Instant.ofEpochSecond(end.longValue()))));
    }

    private Response.Ready token(Claims code) {
        var granted = lifetime(code);
        if (!granted.isPositive()) {
            return OAuthError.response(400, "invalid_grant", "the token that the code was asked with has ended");
        }
        var claims = new BsonDocument();
        code.payload().forEach((name, value) -> {
            if (!OF_THE_CODE.contains(name)) {
                claims.append(name, value);
            }
        });
        ResourceGrant.addTo(claims, code);
        var signed = signer.sign(code.text("sub").orElseThrow(), granted, claims, code.lineage());
        var answer = new BsonDocument("access_token", new BsonString(signed.token()))
                .append("token_type", new BsonString("Bearer"))
                .append("expires_in", new BsonInt64(granted.toSeconds()));
        code.text(SCOPE_CLAIM).ifPresent(scope -> answer.append("scope", new BsonString(scope)));
        return Response.json(200, answer.toJson());
    }
}
