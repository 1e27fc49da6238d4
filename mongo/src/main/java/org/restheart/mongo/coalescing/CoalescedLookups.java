package org.restheart.mongo.coalescing;

import java.util.Optional;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.Lookups;

/// Coalesces reads by `_id`. Thread-safe.
final class CoalescedLookups implements Lookups {
    private final PointReads reads;
    private final Lookups alone;
    private final SharingHeader header;

    /// @param alone for reads whose results cannot be distinguished by id
    CoalescedLookups(PointReads reads, Lookups alone, SharingHeader header) {
        this.reads = reads;
        this.alone = alone;
        this.header = header;
    }

    @Override
    public Response one(
            Request request,
            boolean plain,
            DocumentQuery query,
            Function<Optional<RawBsonDocument>, Response.Ready> answer) {
        return plain && PointReads.fits(query)
                ? header.defer(reads.submit(query), answer)
                : alone.one(request, plain, query, answer);
    }
}
