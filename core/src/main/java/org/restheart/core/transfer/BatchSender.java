package org.restheart.core.transfer;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonParser;
import org.restheart.mongo.format.DocumentFormat.BsonBytes;

/// Sends batches, and repeats those without a response. In a repeated batch, a duplicate id counts as stored by
/// an earlier attempt.
final class BatchSender {
    private static final String THERE = "a document with this _id is there already";
    private static final int CONFLICT = 409;

    private final GatewayClient gateway;
    private final boolean upsert;

    /// @param upsert whether existing documents are replaced
    BatchSender(GatewayClient gateway, boolean upsert) {
        this.gateway = gateway;
        this.upsert = upsert;
    }

    /// Adds refused documents to the batch's errors.
    ///
    /// @return the number of stored documents
    /// @throws TransferFailure if the gateway refuses the whole batch, or no attempt succeeds
    long send(ImportBatch batch) {
        if (batch.size() == 0) {
            return 0;
        }
        var request = gateway.request(upsert ? gateway.with("wm=upsert") : gateway.url())
                .header("Content-Type", BsonBytes.MEDIA_TYPE)
                .POST(BodyPublishers.ofByteArray(batch.content()))
                .build();
        boolean repeated = false;
        var last = "";
        for (int attempt = 1; attempt <= gateway.attempts(); attempt++) {
            try {
                var response = gateway.send(request, BodyHandlers.ofString());
                if (response.statusCode() == 200 || response.statusCode() == 207) {
                    var report = JsonParser.parse(response.body()).asDocument();
                    if (!report.getBoolean("complete", BsonBoolean.TRUE).getValue()) {
                        last = "MongoDB failed";
                    } else {
                        return batch.size() - refused(batch, report, repeated);
                    }
                } else if (!GatewayClient.isTransient(response.statusCode())) {
                    throw failure(response);
                } else {
                    last = "status " + response.statusCode();
                }
            } catch (IOException e) {
                last = gateway.reason(e);
            }
            repeated = true;
            if (attempt < gateway.attempts()) {
                gateway.pause(attempt, last);
            }
        }
        throw new TransferFailure("no answer after " + gateway.attempts() + " attempts: " + last);
    }

    private TransferFailure failure(HttpResponse<String> response) {
        var why = GatewayClient.refused(response.statusCode(), response.body());
        return switch (response.statusCode()) {
            case 404 -> new TransferFailure(why.getMessage() + "; make it first: curl -X PUT " + gateway.url());
            case 405 ->
                new TransferFailure(why.getMessage() + "; is this the URL of a collection: " + gateway.url() + "?");
            default -> why;
        };
    }

    private static long refused(ImportBatch batch, BsonDocument report, boolean repeated) {
        long refused = 0;
        for (var each : report.getArray("errors", new BsonArray())) {
            var error = each.asDocument();
            int index = error.getNumber("line").intValue() - 1;
            int status = error.getNumber("httpStatus").intValue();
            if (status != CONFLICT || !(repeated || batch.isGenerated(index))) {
                refused++;
                batch.refuse(
                        batch.number(index),
                        status,
                        error.getString("message", new BsonString(status == CONFLICT ? THERE : ""))
                                .getValue());
            }
        }
        return refused;
    }
}
