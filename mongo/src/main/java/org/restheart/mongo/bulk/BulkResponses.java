package org.restheart.mongo.bulk;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.parameter.Representation;

/// A [BulkReport] in the requested representation; partial failures always have the standard one.
final class BulkResponses {
    private static final String HAL = "application/hal+json";

    private BulkResponses() {}

    /// Also passes the report to the service that made the request, if one did.
    static Response.Ready of(DataRequest request, BulkReport report) {
        DataWrite.report(request.http(), report.forServices());
        if (!report.errors().isEmpty()) {
            return JsonResponses.of(request, 207, report.toDocument());
        }
        return switch (request.parameters().format().representation()) {
            case Representation.STANDARD -> JsonResponses.of(request, 200, report.toDocument());
            case Representation.HAL -> JsonResponses.of(request, 200, embedded(linked(report)), HAL);
            case Representation.SHAL -> JsonResponses.of(request, 200, linked(report), HAL);
        };
    }

    /// The response of an unacknowledged write.
    static Response.Ready unacknowledged(DataRequest request) {
        return JsonResponses.of(request, 200, new BsonDocument());
    }

    private static BsonDocument embedded(BsonDocument result) {
        return new BsonDocument("_embedded", new BsonDocument("rh:result", new BsonArray(List.of(result))));
    }

    private static BsonDocument linked(BulkReport report) {
        if (report.links().isEmpty()) {
            return report.counters();
        }
        var created = new BsonArray();
        report.links().forEach(href -> created.add(new BsonDocument("href", new BsonString(href))));
        return report.counters().append("_links", new BsonDocument("rh:newdoc", created));
    }
}
