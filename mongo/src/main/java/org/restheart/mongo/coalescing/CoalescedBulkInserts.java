package org.restheart.mongo.coalescing;

import com.mongodb.bulk.BulkWriteError;
import java.util.List;
import java.util.function.Function;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.mongo.write.BulkInsert;
import org.restheart.mongo.write.BulkInserts;

/// Coalesces inserts of small arrays of documents. Thread-safe.
final class CoalescedBulkInserts implements BulkInserts {
    private final GroupBulkInserts group;
    private final BulkInserts alone;
    private final SharingHeader header;

    /// @param alone for large arrays and unacknowledged inserts
    CoalescedBulkInserts(GroupBulkInserts group, BulkInserts alone, SharingHeader header) {
        this.group = group;
        this.alone = alone;
        this.header = header;
    }

    @Override
    public Response insert(Request request, BulkInsert insert, Function<List<BulkWriteError>, Response.Ready> answer) {
        return insert.writeConcern().isAcknowledged() && group.takes(insert)
                ? header.defer(group.submit(insert), answer)
                : alone.insert(request, insert, answer);
    }
}
