package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.RESERVED_NAME;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.Collections;
import org.restheart.mongo.DataHandler;
import org.restheart.mongo.DataRequest;
import org.restheart.mongo.Json;
import org.restheart.mongo.content.NewDocument;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.resource.Names;
import org.restheart.mongo.write.Insert;
import org.restheart.mongo.write.InsertOutcome;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.Locations;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;
import org.restheart.mongo.write.WrittenCheck;

/// `POST /{db}/{collection}` with one document: inserts it; with `wm=update` or `wm=upsert` stores it in place
/// of the one with the same id.
public final class PostDocument implements DataHandler {
    private final Collections collections;
    private final Preconditions preconditions;
    private final Inserts inserts;
    private final Locations locations;
    private final WrittenCheck writtenCheck;

    public PostDocument(Collections collections, Preconditions preconditions, Inserts inserts, Locations locations) {
        this.collections = collections;
        this.preconditions = preconditions;
        this.inserts = inserts;
        this.locations = locations;
        this.writtenCheck = new WrittenCheck(collections);
    }

    @Override
    public Response handle(DataRequest request) {
        var fields = NewDocument.of(request, request.content().asDocument());
        var given = id(request, fields);
        return switch (request.parameters().writeMode().orElse(WriteMode.INSERT)) {
            case INSERT -> insert(request, given.orElseGet(BsonObjectId::new), fields);
            case UPSERT -> replace(request, given.orElseGet(BsonObjectId::new), fields, WriteMode.UPSERT);
            case UPDATE ->
                replace(
                        request,
                        given.orElseThrow(() -> Problem.bare(BAD_REQUEST).raise()),
                        fields,
                        WriteMode.UPDATE);
        };
    }

    private static Optional<BsonValue> id(DataRequest request, BsonDocument fields) {
        var id = Optional.ofNullable(fields.get("_id"));
        if (id.isEmpty()) {
            request.parameters().idType().requireGenerated();
        } else if (Names.isReservedId(id.get())) {
            throw Problem.of(RESERVED_NAME, "reserved resource").raise();
        }
        return id;
    }

    private Response insert(DataRequest request, BsonValue id, BsonDocument fields) {
        var etag = new ObjectId();
        var document = NewDocument.encode(NewDocument.tagged(id, fields, etag));
        writtenCheck.check(request, List.of(document));
        var insert = new Insert(request.namespace(), collections.of(request).getWriteConcern(), document);
        return inserts.insert(request.http(), insert, outcome -> switch (outcome) {
            case InsertOutcome.Inserted() -> created(request, id, etag);
            case InsertOutcome.Refused(var error) -> throw WriteResponses.refusal(error);
        });
    }

    private Response replace(DataRequest request, BsonValue id, BsonDocument fields, WriteMode mode) {
        request.http().requireThread();
        var etag = new ObjectId();
        var document = NewDocument.encode(NewDocument.tagged(id, fields, etag));
        writtenCheck.check(request, List.of(document));
        var target = new TargetDocument(
                collections.of(request), id, request.writeFilter(), preconditions.ofCollection(request));
        var outcome = target.replace(document, mode);
        return outcome instanceof WriteOutcome.Created
                ? created(request, id, etag)
                : WriteResponses.of(
                        outcome,
                        etag.toHexString(),
                        "The document's ETag must be provided using the 'If-Match' header.");
    }

    private Response.Ready created(DataRequest request, BsonValue id, ObjectId etag) {
        var response = Json.empty(201).with("ETag", etag.toHexString());
        return locations
                .absolute(request, id)
                .map(location -> response.with("Location", location))
                .orElse(response);
    }
}
