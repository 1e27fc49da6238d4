package org.restheart.mongo.file;

import java.util.List;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteResponses;

/// `DELETE /{db}/{bucket}.files/{id}`: removes the file first, then its chunks.
final class DeleteFile implements DataHandler {
    private final Collections collections;
    private final Preconditions preconditions;

    DeleteFile(Collections collections, Preconditions preconditions) {
        this.collections = collections;
        this.preconditions = preconditions;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var deletion = new FileDeletion(Chunks.of(collections, request));
        var outcome = deletion.run(
                request.id(),
                version -> TargetDocument.file(
                        SessionCollection.of(collections, request),
                        request.id(),
                        List.of(request.writeFilter(), version),
                        preconditions.ofDocument(request)));
        return WriteResponses.of(outcome, UploadFile.TAG_REQUIRED);
    }
}
