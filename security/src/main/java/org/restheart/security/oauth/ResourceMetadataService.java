package org.restheart.security.oauth;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// `GET /.well-known/oauth-protected-resource[/path]` (RFC 9728). Public.
///
/// @param uri the service's own
public record ResourceMetadataService(BaseUrl base, String uri) implements Service {
    @Override
    public String name() {
        return "oauthProtectedResourceMetadataService";
    }

    @Override
    public boolean startsOnIoThread(Request request) {
        return true;
    }

    @Override
    public Response handle(Request request) {
        if (request.method() != Method.GET) {
            return Response.status(405);
        }
        var url = base.of(request);
        var path = request.path().raw();
        var below = path.startsWith(uri) ? path.substring(uri.length()) : "";
        return Response.json(
                200,
                new BsonDocument("resource", new BsonString(url + (below.equals("/") ? "" : below)))
                        .append("authorization_servers", new BsonArray(List.of(new BsonString(url))))
                        .toJson());
    }
}
