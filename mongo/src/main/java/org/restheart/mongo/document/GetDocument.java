package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.NOT_FOUND;

import java.util.concurrent.TimeUnit;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.Collections;
import org.restheart.mongo.DataHandler;
import org.restheart.mongo.DataRequest;
import org.restheart.mongo.EntityTags;
import org.restheart.mongo.Json;
import org.restheart.mongo.MongoConfig;

/// `GET /{db}/{collection}/{id}`: one document; `304` when the client's copy is current.
public final class GetDocument implements DataHandler {
    private final Collections collections;
    private final MongoConfig config;

    public GetDocument(Collections collections, MongoConfig config) {
        this.collections = collections;
        this.config = config;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var document = collections
                .of(request)
                .find(request.byId(request.readFilter()))
                .projection(request.parameters().keys())
                .maxTime(config.queryTimeLimit().toMillis(), TimeUnit.MILLISECONDS)
                .first();
        if (document == null) {
            throw missing(request);
        }
        var etag = EntityTags.of(document);
        if (etag.isPresent() && request.http().headers().first("If-None-Match").equals(etag)) {
            return Json.empty(304);
        }
        var response = Json.of(request, 200, document);
        return etag.map(tag -> response.with("ETag", tag)).orElse(response);
    }

    private static RuntimeException missing(DataRequest request) {
        var id = request.id();
        var text = id.isString()
                ? "'" + id.asString().getValue() + "'"
                : id.isObjectId()
                        ? id.asObjectId().getValue().toHexString()
                        : JsonEncoder.of(JsonMode.DEFAULT).encodeToString(id);
        return Problem.of(NOT_FOUND, "document " + text + " does not exist").raise();
    }
}
