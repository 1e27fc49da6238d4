package org.restheart.security.token;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.security.AmbientCredentials;

/// Credentials in the fields of a form (RFC 6749, 4.3 and 4.4), converted to HTTP Basic before authentication.
public final class FormCredentials {
    private static final int MAX_LENGTH = 64 * 1024;
    private static final int MAX_FIELDS = 100;
    private static final String FORM = "application/x-www-form-urlencoded";

    private FormCredentials() {}

    /// The fields of a form that is sent without an `Authorization` field, which would come first.
    ///
    /// @throws org.restheart.http.ProblemException 400 for other content
    public static Optional<Query> of(Request request) {
        boolean isForm = request.method() == Method.POST
                && !request.headers().has("Authorization")
                && request.headers()
                        .first("Content-Type")
                        .filter(type -> type.toLowerCase(Locale.ROOT).startsWith(FORM))
                        .isPresent();
        if (!isForm) {
            return Optional.empty();
        }
        if (request.body().length() > MAX_LENGTH) {
            throw badRequest();
        }
        return Optional.of(Query.parse(new String(request.body().bytes(), StandardCharsets.UTF_8), MAX_FIELDS));
    }

    /// The request with the credentials that the grant type names.
    ///
    /// @throws org.restheart.http.ProblemException 400, without content
    static Request asBasic(Request request, Query form) {
        return switch (form.first("grant_type").orElse("")) {
            case "password" -> with(request, form, "username", "password");
            case "client_credentials" -> with(request, form, "client_id", "client_secret");
            case "authorization_code" -> request;
            default -> throw badRequest();
        };
    }

    /// @throws org.restheart.http.ProblemException 400, without content, if one of them is missing
    public static Request with(Request request, Query form, String name, String password) {
        return with(request, required(form, name), required(form, password));
    }

    private static String required(Query form, String field) {
        return form.first(field).filter(value -> !value.isEmpty()).orElseThrow(FormCredentials::badRequest);
    }

    private static Request with(Request request, String name, String password) {
        var encoded = Base64.getEncoder().encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
        return request.with(AddedField.to(request.headers(), "Authorization", "Basic " + encoded))
                .with(AmbientCredentials.KEY, AmbientCredentials.NONE);
    }

    private static RuntimeException badRequest() {
        return Problem.bare(ProblemCode.BAD_REQUEST).raise();
    }
}
