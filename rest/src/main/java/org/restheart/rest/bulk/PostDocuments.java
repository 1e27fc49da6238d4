package org.restheart.rest.bulk;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.TimeSlices;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.exchange.CoalescedResponses;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.exchange.WrittenCheck;
import org.restheart.rest.idempotency.Creation;
import org.restheart.rest.idempotency.Creation.NewIds;

/// `POST /{db}/{collection}` with an array: every element is tried, in no order unless a service asks for it;
/// all get the same entity tag.
public record PostDocuments(RequestCollections collections, CoalescedResponses writes) implements Creation {
    /// How many elements are prepared before other requests have their turn.
    private static final int PIECE = 1_000;

    @Override
    public Response handle(DataRequest request, NewIds ids) {
        var collections = ids.most().map(this.collections::within).orElse(this.collections);
        var elements = elements(request, request.content().asArray(), ids);
        WrittenCheck.check(
                collections, request, elements.stream().map(Element::document).toList());
        boolean ordered =
                !ids.mayRepeat() && request.http().attribute(DataWrite.ORDERED).orElse(false);
        var all = Element.writes(request, elements, collections.of(request), ordered, ids);
        return writes.write(all, true, tried -> {
            if (!tried.result().wasAcknowledged()) {
                return BulkReport.unacknowledged(request);
            }
            if (tried.errors().stream().anyMatch(error -> error.getCode() == MongoCodes.MAX_TIME_EXPIRED)) {
                ids.leftOut().run();
            }
            var written = Element.written(request, elements, all, tried, ids);
            var errors = BulkReport.errors(request, written.errors());
            var answer = BulkReport.of(request, tried.result(), written.created(), errors)
                    .response(request);
            return errors.isEmpty() ? answer.with("ETag", ids.etag().toHexString()) : answer;
        });
    }

    private static List<Element> elements(DataRequest request, BsonArray content, NewIds ids) {
        if (content.isEmpty()) {
            throw new ProblemException(CONTENT_INVALID, "no data provided");
        }
        var elements = new ArrayList<Element>(content.size());
        for (var element : content) {
            if (elements.size() % PIECE == PIECE - 1) {
                TimeSlices.letOthersRun();
            }
            try {
                elements.add(Element.of(request, element.asDocument(), ids));
            } catch (ProblemException e) {
                throw DataContent.inElement(e, elements.size());
            }
        }
        return elements;
    }
}
