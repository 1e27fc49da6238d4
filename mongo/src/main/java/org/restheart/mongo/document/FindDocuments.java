package org.restheart.mongo.document;

import com.mongodb.client.FindIterable;
import java.util.concurrent.TimeUnit;
import org.bson.RawBsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Response;
import org.restheart.mongo.Collections;
import org.restheart.mongo.DataHandler;
import org.restheart.mongo.DataRequest;
import org.restheart.mongo.EntityTags;
import org.restheart.mongo.Json;
import org.restheart.mongo.MongoConfig;

/// `GET /{db}/{collection}`: one page of the documents that match.
public final class FindDocuments implements DataHandler {
    private final Collections collections;
    private final MongoConfig config;

    public FindDocuments(Collections collections, MongoConfig config) {
        this.collections = collections;
        this.config = config;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var paging = request.parameters().paging();
        if (paging.pageSize() == 0) {
            return EntityTags.add(Json.empty(200), request.resource().properties());
        }
        var encoder = JsonEncoder.of(request.parameters().jsonMode());
        var out = new Utf8Buffer();
        out.put((byte) '[');
        int count = 0;
        try (var cursor = find(request).cursor()) {
            while (cursor.hasNext()) {
                if (count++ > 0) {
                    out.ascii(", ");
                }
                encoder.encode(cursor.next(), out);
            }
        }
        out.put((byte) ']');
        return EntityTags.add(Json.of(200, out), request.resource().properties());
    }

    private FindIterable<RawBsonDocument> find(DataRequest request) {
        var parameters = request.parameters();
        var paging = parameters.paging();
        var find = collections
                .of(request)
                .find(request.readFilter())
                .projection(parameters.keys())
                .sort(parameters.sort())
                .skip(Math.toIntExact(Math.min(paging.skip(), Integer.MAX_VALUE)))
                .limit(paging.pageSize())
                .batchSize(paging.pageSize() + 1)
                .maxTime(config.queryTimeLimit().toMillis(), TimeUnit.MILLISECONDS);
        parameters.hint().ifPresent(hint -> {
            if (hint.isString()) {
                find.hintString(hint.asString().getValue());
            } else {
                find.hint(hint.asDocument());
            }
        });
        return find;
    }
}
