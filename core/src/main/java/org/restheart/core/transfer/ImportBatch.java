package org.restheart.core.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.restheart.bson.JsonParser;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.format.DocumentFormat.BsonBytes;

/// Documents that are sent together, and again if there was no response: a duplicate id then counts as stored by an
/// earlier attempt. Confined to one thread.
final class ImportBatch {
    private static final int MAX_DOCUMENTS = 1_000;
    private static final int MAX_BYTES = 1 << 20;
    private static final String THERE = "a document with this _id is there already";
    private static final int CONFLICT = 409;

    private final GatewayClient gateway;
    private final boolean upsert;
    private final List<Long> numbers = new ArrayList<>();
    private final Set<Integer> generated = new HashSet<>();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final List<BsonDocument> errors = new ArrayList<>();

    /// @param upsert whether existing documents are replaced
    ImportBatch(GatewayClient gateway, boolean upsert) {
        this.gateway = gateway;
        this.upsert = upsert;
    }

    /// @param number of the document in the file
    /// @param id for a document without one
    void add(long number, BsonDocument document, ObjectId id) {
        var sent = document;
        if (!document.containsKey("_id")) {
            sent = new BsonDocument("_id", new BsonObjectId(id));
            sent.putAll(document);
            generated.add(numbers.size());
        }
        var bytes = RawDocuments.encode(sent).getByteBuffer().asNIO();
        content.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        numbers.add(number);
    }

    void refuse(long number, int status, String message) {
        errors.add(new BsonDocument("line", new BsonInt64(number))
                .append("httpStatus", new BsonInt32(status))
                .append("message", new BsonString(message)));
    }

    boolean isFull() {
        return numbers.size() + errors.size() >= MAX_DOCUMENTS || content.size() >= MAX_BYTES;
    }

    /// Sends the documents; those that the gateway refuses are added to the errors.
    ///
    /// @return the number of stored documents
    /// @throws Transfer.Failure if the gateway refuses the whole batch, or no attempt succeeds
    long send() {
        if (numbers.isEmpty()) {
            return 0;
        }
        var request = gateway.request(upsert ? gateway.with("wm=upsert") : gateway.url())
                .header("Content-Type", BsonBytes.MEDIA_TYPE)
                .POST(BodyPublishers.ofByteArray(content.toByteArray()))
                .build();
        var last = "";
        for (int attempt = 1; attempt <= gateway.attempts(); attempt++) {
            try {
                var response = gateway.send(request, BodyHandlers.ofString());
                if (response.statusCode() == 200 || response.statusCode() == 207) {
                    var report = JsonParser.parse(response.body()).asDocument();
                    if (report.getBoolean("complete", BsonBoolean.TRUE).getValue()) {
                        return numbers.size() - refused(report, attempt > 1);
                    }
                    last = "MongoDB failed";
                } else if (!GatewayClient.isTransient(response.statusCode())) {
                    throw failure(response);
                } else {
                    last = "status " + response.statusCode();
                }
            } catch (IOException e) {
                last = gateway.reason(e);
            }
            if (attempt < gateway.attempts()) {
                gateway.pause(attempt, last);
            }
        }
        throw new Transfer.Failure("no answer after " + gateway.attempts() + " attempts: " + last);
    }

    private Transfer.Failure failure(HttpResponse<String> response) {
        var why = GatewayClient.refused(response.statusCode(), response.body());
        return switch (response.statusCode()) {
            case 404 -> new Transfer.Failure(why.getMessage() + "; make it first: curl -X PUT " + gateway.url());
            case 405 ->
                new Transfer.Failure(why.getMessage() + "; is this the URL of a collection: " + gateway.url() + "?");
            default -> why;
        };
    }

    private long refused(BsonDocument report, boolean repeated) {
        long refused = 0;
        for (var each : report.getArray("errors", new BsonArray())) {
            var error = each.asDocument();
            int index = error.getNumber("line").intValue() - 1;
            int status = error.getNumber("httpStatus").intValue();
            if (status != CONFLICT || !(repeated || generated.contains(index))) {
                refused++;
                refuse(
                        numbers.get(index),
                        status,
                        error.getString("message", new BsonString(status == CONFLICT ? THERE : ""))
                                .getValue());
            }
        }
        return refused;
    }

    List<BsonDocument> errors() {
        return errors;
    }

    void clear() {
        numbers.clear();
        generated.clear();
        content.reset();
        errors.clear();
    }
}
