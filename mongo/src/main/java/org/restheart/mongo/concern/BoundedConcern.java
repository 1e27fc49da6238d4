package org.restheart.mongo.concern;

import com.mongodb.WriteConcern;
import java.io.Serial;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.jspecify.annotations.Nullable;
import org.restheart.http.RequestStart;

/// A write concern that MongoDB waits for no longer than the time limit of the request allows (`wtimeout`), counted
/// from the start of the request until the command leaves. MongoDB waits without a limit otherwise, for as long as no
/// majority of a replica set replicates; its work at the write itself is not limited by this. Constants: each equals
/// only itself.
@SuppressWarnings({"EqualsHashCode", "EqualsUnsafeCast"})
public final class BoundedConcern extends WriteConcern {
    /// The longest time that a request waits for MongoDB, from its start.
    public static final Duration LIMIT = Duration.ofSeconds(10);

    /// The least timeout, even when the time of the request is over: a healthy deployment confirms within it.
    private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);

    @Serial
    private static final long serialVersionUID = 1;

    public static final WriteConcern ACKNOWLEDGED = new BoundedConcern(WriteConcern.ACKNOWLEDGED);
    public static final WriteConcern W2 = new BoundedConcern(WriteConcern.W2);
    public static final WriteConcern W3 = new BoundedConcern(WriteConcern.W3);
    public static final WriteConcern JOURNALED = new BoundedConcern(WriteConcern.JOURNALED);
    public static final WriteConcern MAJORITY = new BoundedConcern(WriteConcern.MAJORITY);

    private final WriteConcern concern;

    private BoundedConcern(WriteConcern concern) {
        super("majority"); // never sent
        this.concern = concern;
    }

    /// The concern with the time limit, unless it waits for no other member or has a limit of its own.
    public static WriteConcern of(WriteConcern concern) {
        boolean waits = concern.isAcknowledged() && !Integer.valueOf(1).equals(concern.getWObject());
        return waits && concern.getWTimeout(TimeUnit.MILLISECONDS) == null ? new BoundedConcern(concern) : concern;
    }

    /// The driver calls this whenever it encodes a command, after it has selected a server.
    @Override
    public BsonDocument asDocument() {
        var left = RequestStart.left(LIMIT);
        var document = concern.asDocument();
        return document.append("wtimeout", new BsonInt64(Math.max(left.toMillis(), MIN_TIMEOUT.toMillis())));
    }

    @Override
    public boolean isServerDefault() {
        return false;
    }

    @Override
    public @Nullable Object getWObject() {
        return concern.getWObject();
    }

    @Override
    public @Nullable Boolean getJournal() {
        return concern.getJournal();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        return concern + " in time";
    }
}
