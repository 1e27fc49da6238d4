package org.restheart.mongo.coalescing;

import java.util.function.Function;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.mongo.write.Insert;
import org.restheart.mongo.write.InsertOutcome;
import org.restheart.mongo.write.Inserts;

/// Coalesces inserts of single documents. Thread-safe.
final class CoalescedInserts implements Inserts {
    private final GroupInserts group;
    private final Inserts alone;
    private final SharingHeader header;

    /// @param alone for unacknowledged inserts, which have no outcome
    CoalescedInserts(GroupInserts group, Inserts alone, SharingHeader header) {
        this.group = group;
        this.alone = alone;
        this.header = header;
    }

    @Override
    public Response insert(Request request, Insert insert, Function<InsertOutcome, Response.Ready> answer) {
        if (!insert.writeConcern().isAcknowledged()) {
            return alone.insert(request, insert, answer);
        }
        return header.defer(group.submit(insert), answer);
    }
}
