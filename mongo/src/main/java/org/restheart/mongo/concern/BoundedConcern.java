package org.restheart.mongo.concern;

import com.mongodb.MongoWriteConcernException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.WriteConcernError;
import java.io.Serial;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.RequestStart;

/// A write concern that MongoDB waits for no longer than the time limit of the request allows (`wtimeout`), counted
/// from the start of the request until the command leaves. MongoDB waits without a limit otherwise, for as long as no
/// majority of a replica set replicates; its work at the write itself is not limited by this. Equals only itself.
@SuppressWarnings({"EqualsHashCode", "EqualsUnsafeCast"})
public final class BoundedConcern extends WriteConcern {
    /// The longest time that a request waits for MongoDB, from its start.
    public static final Duration LIMIT = Duration.ofSeconds(10);

    /// The least timeout, even when the time of the request is over: a healthy deployment confirms within it.
    private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);

    private static final String TIMEOUT = "wtimeout";
    private static final BsonInt64 NO_TIMEOUT = new BsonInt64(0);

    @Serial
    private static final long serialVersionUID = 1;

    public static final WriteConcern W2 = new BoundedConcern(WriteConcern.W2);
    public static final WriteConcern W3 = new BoundedConcern(WriteConcern.W3);
    public static final WriteConcern MAJORITY = new BoundedConcern(WriteConcern.MAJORITY);

    private final transient Supplier<Optional<BsonDocument>> concern;
    private final boolean isDefault;

    private BoundedConcern(WriteConcern concern) {
        this(() -> Optional.of(concern.asDocument()), false);
    }

    /// @param concern with its `w`; empty stands for the deployment's default
    private BoundedConcern(Supplier<Optional<BsonDocument>> concern, boolean isDefault) {
        super("majority"); // never sent
        this.concern = concern;
        this.isDefault = isDefault;
    }

    /// The concern with the time limit, unless it waits for no other member or has a limit of its own.
    public static WriteConcern of(WriteConcern concern) {
        boolean isMeant = concern.getWObject() != null && !Integer.valueOf(1).equals(concern.getWObject());
        return isMeant && concern.isAcknowledged() && concern.getWTimeout(TimeUnit.MILLISECONDS) == null
                ? new BoundedConcern(concern)
                : concern;
    }

    /// The deployment's default, with the time limit as soon as it is known.
    public static WriteConcern of(DefaultConcern concern) {
        return new BoundedConcern(concern::current, true);
    }

    /// Whether the concern stands for the deployment's default.
    public static boolean isDefault(WriteConcern concern) {
        return concern instanceof BoundedConcern bounded ? bounded.isDefault : concern.isServerDefault();
    }

    /// That the write concern of a command was not satisfied; empty if it was. The driver detects that only in replies
    /// to its own commands, not to those sent with `runCommand`.
    ///
    /// @param server for the log
    public static Optional<MongoWriteConcernException> unsatisfied(BsonDocument reply, ServerAddress server) {
        var error = reply.getDocument("writeConcernError", new BsonDocument());
        if (error.isEmpty()) {
            return Optional.empty();
        }
        var labels = reply.getArray("errorLabels", new BsonArray()).stream()
                .map(label -> label.asString().getValue())
                .toList();
        return Optional.of(new MongoWriteConcernException(
                new WriteConcernError(
                        error.getNumber("code").intValue(),
                        text(error, "codeName"),
                        text(error, "errmsg"),
                        error.getDocument("errInfo", new BsonDocument())),
                null,
                server,
                labels));
    }

    /// @throws MongoWriteConcernException if the concern was not satisfied
    public static void requireSatisfied(BsonDocument reply) {
        unsatisfied(reply, new ServerAddress()).ifPresent(e -> {
            throw e;
        });
    }

    private static String text(BsonDocument error, String key) {
        return error.getString(key, new BsonString("")).getValue();
    }

    /// The rest of the time of the request, at least what a healthy deployment needs.
    public static Duration left(Duration most) {
        return Collections.min(List.of(most, Collections.max(List.of(RequestStart.left(LIMIT), MIN_TIMEOUT))));
    }

    /// The driver calls this whenever it encodes a command, after it has selected a server.
    @Override
    public BsonDocument asDocument() {
        return concern.get().map(BoundedConcern::limited).orElseGet(BsonDocument::new);
    }

    private static BsonDocument limited(BsonDocument concern) {
        long own = concern.getNumber(TIMEOUT, NO_TIMEOUT).longValue();
        long left = left(LIMIT).toMillis();
        return concern.append(TIMEOUT, new BsonInt64(own == 0 ? left : Math.min(own, left)));
    }

    @Override
    public boolean isServerDefault() {
        return concern.get().isEmpty();
    }

    @Override
    public @Nullable Object getWObject() {
        return concern.get()
                .map(document -> document.get("w"))
                .map(BoundedConcern::plain)
                .orElse(null);
    }

    private static Object plain(BsonValue w) {
        return w.isNumber() ? w.asNumber().intValue() : w.asString().getValue();
    }

    @Override
    public @Nullable Boolean getJournal() {
        return concern.get()
                .map(document -> document.get("j"))
                .map(journal -> journal.asBoolean().getValue())
                .orElse(null);
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
        return concern.get().map(BsonDocument::toJson).orElse("the default") + " in time";
    }
}
