package org.restheart.rest.document;

import java.time.Duration;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.find.CountQuery;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.parameter.AfterParameter;
import org.restheart.rest.parameter.FindParameters.Counting;

/// Builds the queries of a request from the client's parameters and the access rule.
///
/// @param timeLimit of every query; zero for none
record Queries(Duration timeLimit) {
    DocumentQuery document(DataRequest request) {
        return new DocumentQuery(
                request.namespace(),
                request.id(),
                request.readFilterOfDocument(),
                projection(request),
                request.readSettings(timeLimit));
    }

    FindQuery page(DataRequest request) {
        var paging = request.parameters().find().paging();
        return all(request)
                .slice(paging.skip(), paging.pageSize())
                .with(request.parameters().find().shortcuts());
    }

    FindQuery all(DataRequest request) {
        var parameters = request.parameters();
        return new FindQuery(
                request.namespace(),
                request.readFilter(),
                projection(request),
                parameters.find().sort(),
                parameters.find().hint(),
                0,
                0,
                request.readSettings(timeLimit));
    }

    /// The count of matching documents. There are no estimates with a filter, also of an access rule.
    CountQuery count(DataRequest request) {
        var filter = request.readFilter();
        return new CountQuery(
                request.namespace(),
                filter,
                request.parameters().find().counting() == Counting.ESTIMATED && filter.isEmpty(),
                request.http().attribute(Slice.KEY).map(Slice::limit).orElse(0),
                request.readSettings(timeLimit));
    }

    /// The key in the parameter `after`, of the last document of the page before.
    static Optional<BsonDocument> after(DataRequest request) {
        return request.parameters().values().has(DataParameter.AFTER)
                ? AfterParameter.parse(
                        request.http().query(), request.parameters().find().sort())
                : Optional.empty();
    }

    private static Projection projection(DataRequest request) {
        if (request.grant().readFilter().isPresent()) {
            StagedFilter.requireWithinRule(request.parameters().find().keys());
            StagedFilter.requireWithinRule(request.parameters().find().sort());
        }
        return Projection.of(
                request.grant().projectResponse(), request.parameters().find().keys());
    }
}
