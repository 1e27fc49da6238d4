package org.restheart.security.token;

import java.util.List;
import java.util.Optional;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.http.IoThreadService;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// `GET /.well-known/oauth-authorization-server` (RFC 8414). Public.
public record ServerMetadataService(
        BaseUrl base, String tokenUri, String authorizeUri, Optional<String> registration, List<String> scopes)
        implements IoThreadService {
    @Override
    public Response handle(Request request) {
        request.requireMethod(Method.GET);
        var url = base.of(request);
        var metadata = new BsonDocument("issuer", new BsonString(url))
                .append("authorization_endpoint", new BsonString(url + authorizeUri))
                .append("token_endpoint", new BsonString(url + tokenUri))
                .append("response_types_supported", BsonTexts.array(List.of("code")))
                .append(
                        "grant_types_supported",
                        BsonTexts.array(List.of("authorization_code", "password", "client_credentials")))
                .append("code_challenge_methods_supported", BsonTexts.array(List.of("S256")))
                .append(
                        "token_endpoint_auth_methods_supported",
                        BsonTexts.array(List.of("none", "client_secret_basic", "client_secret_post")))
                .append("authorization_response_iss_parameter_supported", BsonBoolean.TRUE);
        if (!scopes.isEmpty()) {
            metadata.append("scopes_supported", BsonTexts.array(scopes));
        }
        registration.ifPresent(path -> metadata.append("registration_endpoint", new BsonString(url + path)));
        return base.named(Response.json(200, metadata.toJson()));
    }
}
