package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import com.mongodb.bulk.BulkWriteError;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.idempotency.Creation;
import org.restheart.mongo.idempotency.Creation.NewIds;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.BulkWrites;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.Inserts.Insert;
import org.restheart.mongo.write.TimeLimitedWrites;
import org.restheart.mongo.write.WrittenCheck;

/// `POST /{db}/{collection}` with an array: every element is tried, in no order unless a service asks for it;
/// all get the same entity tag.
public final class PostDocuments implements Creation {
    /// How many elements are prepared before other requests have their turn.
    private static final int PIECE = 1_000;

    private final RequestCollections collections;
    private final Inserts inserts;
    private final TimeLimitedWrites limited;

    /// @param limited for replacements, and for inserts in order
    public PostDocuments(RequestCollections collections, Inserts inserts, TimeLimitedWrites limited) {
        this.collections = collections;
        this.inserts = inserts;
        this.limited = limited;
    }

    @Override
    public Response handle(DataRequest request, NewIds ids) {
        boolean inserts = request.session().isEmpty()
                && request.parameters().writeMode().orElse(WriteMode.INSERT) == WriteMode.INSERT;
        if (!inserts) { // modes that replace, and requests in a session
            request.http().requireThread();
        }
        var etag = ids.etag();
        var elements = elements(request, request.content().asArray(), ids.sequence(), etag);
        WrittenCheck.check(collections, request, documents(elements));
        return inserts ? insert(request, elements, etag, ids) : replace(request, elements, etag, ids);
    }

    private Response insert(DataRequest request, List<Element> elements, ObjectId etag, NewIds ids) {
        boolean mayRepeat = ids.mayRepeat();
        var collection = collections.of(request);
        var insert = new Insert(request.namespace(), collection.getWriteConcern(), documents(elements));
        boolean ordered =
                !mayRepeat && request.http().attribute(DataWrite.ORDERED).orElse(false);
        var by = ordered ? Inserts.inOrder(limited) : inserts;
        return by.insert(request.http(), insert, refused -> {
            if (!insert.writeConcern().isAcknowledged()) {
                return BulkReport.unacknowledged(request);
            }
            var earlier = mayRepeat ? Element.storedEarlier(elements, refused, etag, collection) : Set.<Integer>of();
            var failed = failed(refused, earlier);
            noteLeftOut(refused, ids);
            if (ordered && !failed.isEmpty()) { // none behind it was tried
                IntStream.range(Collections.min(failed), elements.size()).forEach(failed::add);
            }
            var created = new ArrayList<BsonValue>(elements.size());
            for (int i = 0; i < elements.size(); i++) {
                if (!failed.contains(i)) {
                    created.add(elements.get(i).id());
                }
            }
            var report = BulkReport.ofInserted(request, created, BulkReport.errors(request, refused, earlier));
            return answer(request, report, failed, etag);
        });
    }

    private Response replace(DataRequest request, List<Element> elements, ObjectId etag, NewIds ids) {
        var models = elements.stream().map(element -> element.model(request)).toList();
        var collection = collections.of(request);
        var tried = BulkWrites.each(limited, request.session(), collection, models);
        if (!tried.result().wasAcknowledged()) {
            return BulkReport.unacknowledged(request);
        }
        var earlier =
                ids.mayRepeat() ? Element.storedEarlier(elements, tried.errors(), etag, collection) : Set.<Integer>of();
        noteLeftOut(tried.errors(), ids);
        var created = new ArrayList<BsonValue>();
        tried.result().getUpserts().forEach(upsert -> created.add(upsert.getId()));
        tried.result()
                .getInserts()
                .forEach(insert -> created.add(elements.get(insert.getIndex()).id()));
        var errors = BulkReport.errors(request, tried.errors(), earlier);
        var report = BulkReport.of(request, tried.result(), created, errors);
        return answer(request, report, failed(tried.errors(), earlier), etag);
    }

    private static void noteLeftOut(List<BulkWriteError> errors, NewIds ids) {
        if (errors.stream().anyMatch(error -> error.getCode() == MongoCodes.MAX_TIME_EXPIRED)) {
            ids.leftOut().run();
        }
    }

    private static Set<Integer> failed(List<BulkWriteError> errors, Set<Integer> earlier) {
        var failed = new HashSet<Integer>();
        errors.forEach(error -> failed.add(error.getIndex()));
        failed.removeAll(earlier);
        return failed;
    }

    @SuppressWarnings("ThreadPriorityCheck")
    private static List<Element> elements(
            DataRequest request, BsonArray content, Supplier<BsonObjectId> ids, ObjectId etag) {
        if (content.isEmpty()) {
            throw new ProblemException(CONTENT_INVALID, "no data provided");
        }
        var elements = new ArrayList<Element>(content.size());
        for (var element : content) {
            if (elements.size() % PIECE == PIECE - 1) {
                Thread.yield(); // virtual threads are not preempted
            }
            try {
                elements.add(Element.of(request, element.asDocument(), ids, etag));
            } catch (ProblemException e) {
                throw DataContent.inElement(e, elements.size());
            }
        }
        return elements;
    }

    private static List<RawBsonDocument> documents(List<Element> elements) {
        return elements.stream().map(Element::document).toList();
    }

    private static Response.Ready answer(DataRequest request, BulkReport report, Set<Integer> failed, ObjectId etag) {
        var answer = report.response(request);
        return failed.isEmpty() ? answer.with("ETag", etag.toHexString()) : answer;
    }
}
