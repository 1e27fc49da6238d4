package org.restheart.mongo.coalescing;

import java.util.Optional;
import java.util.function.Function;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.DocumentWrites;

/// Writes of single documents that leave together. Thread-safe.
///
/// @param <O> the outcome
final class CoalescedWrites<O> implements DocumentWrites<O> {
    private final GroupWrites<O> group;
    private final DocumentWrites<O> alone = DocumentWrites.alone();
    private final SharingHeader header;

    CoalescedWrites(GroupWrites<O> group, SharingHeader header) {
        this.group = group;
        this.header = header;
    }

    @Override
    public Response write(Request request, boolean plain, DocumentWrite<O> write, Function<O, Response.Ready> answer) {
        var statement = Optional.of(write).filter(_ -> plain).flatMap(group::statement);
        return statement.isPresent()
                ? header.defer(group.submit(statement.get()), answer)
                : alone.write(request, plain, write, answer);
    }
}
