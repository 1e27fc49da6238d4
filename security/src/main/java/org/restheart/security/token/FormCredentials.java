package org.restheart.security.token;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.security.AmbientCredentials;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;
import org.restheart.text.Words;

/// Credentials in the fields of a form (RFC 6749, 4.3 and 4.4) or, with the same names, of a JSON object, converted to
/// HTTP Basic before authentication.
final class FormCredentials {
    private static final int MAX_LENGTH = 64 * 1024;
    private static final int MAX_FIELDS = 100;
    private static final int MAX_QUOTED = 100;
    private static final List<String> GRANT_TYPES = List.of("password", "client_credentials", "authorization_code");
    private static final String FORM = "application/x-www-form-urlencoded";

    /// Fields of which JSON with credentials has at least one.
    private static final List<String> NAMING = List.of("grant_type", "username", "client_id");

    /// What the content may say.
    private static final Set<String> FIELDS = Words.of("""
        grant_type username password client_id client_secret scope resource code code_verifier redirect_uri\
        """);

    private FormCredentials() {}

    /// The fields that are sent without an `Authorization` field, which would come first.
    ///
    /// @throws org.restheart.http.ProblemException 400 for other content
    static Optional<Query> of(Request request) {
        return AuthorizationHeader.isIn(request.headers()) ? Optional.empty() : fields(request);
    }

    /// The fields of a form or of a JSON object that names an account, whatever the credentials. Other JSON is ignored.
    ///
    /// @throws org.restheart.http.ProblemException 400 for other content of a form
    static Optional<Query> fields(Request request) {
        boolean isForm = has(request, FORM);
        if (request.method() != Method.POST || !(isForm || isJson(request))) {
            return Optional.empty();
        }
        boolean isTooLong = request.body().isLongerThan(MAX_LENGTH);
        if (!isForm) {
            return isTooLong ? Optional.empty() : ofJson(request.body().bytes());
        }
        if (isTooLong) {
            throw badRequest("the form is longer than " + MAX_LENGTH + " bytes");
        }
        var form = new String(request.body().bytes(), StandardCharsets.UTF_8);
        return Optional.of(Query.parse(form, MAX_FIELDS));
    }

    private static boolean isJson(Request request) {
        return has(request, "application/json");
    }

    private static boolean has(Request request, String type) {
        return request.headers()
                .first("Content-Type")
                .filter(sent -> sent.toLowerCase(Locale.ROOT).startsWith(type))
                .isPresent();
    }

    private static Optional<Query> ofJson(byte[] content) {
        BsonValue parsed;
        try {
            parsed = JsonParser.parse(content);
        } catch (MalformedJsonException _) {
            return Optional.empty();
        }
        if (!(parsed instanceof BsonDocument object) || NAMING.stream().noneMatch(object::containsKey)) {
            return Optional.empty();
        }
        var fields = new LinkedHashMap<String, String>();
        object.forEach((name, value) -> {
            if (value instanceof BsonString text) {
                fields.put(name, text.getValue());
            } else if (FIELDS.contains(name)) { // a scope that is left out would give more than was asked for
                throw badRequest("the value of " + name + " must be a text");
            }
        });
        fields.putIfAbsent("grant_type", fields.containsKey("client_id") ? "client_credentials" : "password");
        return Optional.of(Query.of(fields));
    }

    /// The request with the credentials that the grant type names.
    ///
    /// @throws org.restheart.http.ProblemException 400
    static Request asBasic(Request request, Query form) {
        var type = form.first("grant_type").orElse("");
        return switch (type) {
            case "password" -> with(request, form, "username", "password");
            case "client_credentials" -> with(request, form, "client_id", "client_secret");
            case "authorization_code" -> request;
            default ->
                throw badRequest("grant_type must be password, client_credentials or authorization_code"
                        + Nearest.question(ShortText.of(type, MAX_QUOTED), GRANT_TYPES));
        };
    }

    /// @throws org.restheart.http.ProblemException 400 if one of them is missing
    static Request with(Request request, Query form, String name, String password) {
        return with(request, required(form, name), required(form, password));
    }

    private static String required(Query form, String field) {
        return form.first(field)
                .filter(value -> !value.isEmpty())
                .orElseThrow(() -> badRequest("the content has no " + field));
    }

    private static Request with(Request request, String name, String password) {
        return AuthorizationHeader.basic(name, password)
                .in(request)
                .with(AmbientCredentials.KEY, AmbientCredentials.NONE);
    }

    private static RuntimeException badRequest(String why) {
        return Problem.helpful(ProblemCode.BAD_REQUEST, why).raise();
    }
}
