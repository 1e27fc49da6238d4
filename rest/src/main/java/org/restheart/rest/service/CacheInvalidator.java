package org.restheart.rest.service;

import static org.restheart.http.ProblemCode.METHOD_NOT_ALLOWED;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import org.restheart.http.Cors;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.rest.description.Descriptions;

/// `POST /ic?db=…&coll=…`: invalidates the cached metadata of a collection, or of a database and
/// all its collections. For changes that were made without the gateway.
public record CacheInvalidator(Metadata metadata, Descriptions descriptions) implements Service {
    private static final Cors CORS = new Cors("POST", Cors.DEFAULT_HEADERS, "");

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    @Override
    public Response handle(Request request) {
        if (request.method() != Method.POST) {
            throw new ProblemException(METHOD_NOT_ALLOWED, "method " + request.method() + " not allowed");
        }
        request.query().first("db").ifPresent(descriptions::forget);
        if (!metadata.caches()) {
            return Response.status(304);
        }
        var db = request.query()
                .first("db")
                .filter(name -> !name.isEmpty())
                .orElseThrow(() -> new ProblemException(PARAMETER_INVALID, "the db query parameter is mandatory"));
        request.query()
                .first("coll")
                .ifPresentOrElse(
                        collection -> forgetCollection(db, collection), () -> metadata.forgetDbAndCollections(db));
        return Response.status(200);
    }

    /// @throws org.restheart.http.ProblemException 400 for invalid names
    private void forgetCollection(String db, String collection) {
        if (collection.isEmpty()) {
            throw new ProblemException(PARAMETER_INVALID, "the coll query parameter must not be empty");
        }
        metadata.forgetCollection(db, collection);
    }
}
