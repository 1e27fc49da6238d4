package org.restheart.mongo.find;

import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Collation;
import java.time.Duration;
import java.util.Optional;

/// How a read is carried out. Immutable, compares by value.
///
/// @param readConcern absent for the driver's default
/// @param readPreference absent for the driver's default
/// @param timeLimit MongoDB gives up after this; zero for no limit
/// @param session the session of the read, whose result is then not shared
/// @param collation how texts are compared, in place of the collection's own
public record ReadSettings(
        Optional<ReadConcern> readConcern,
        Optional<ReadPreference> readPreference,
        Duration timeLimit,
        Optional<ClientSession> session,
        Optional<Collation> collation) {
    public static final ReadSettings DEFAULT = new ReadSettings(Optional.empty(), Optional.empty(), Duration.ZERO);

    /// Outside of sessions.
    public ReadSettings(
            Optional<ReadConcern> readConcern, Optional<ReadPreference> readPreference, Duration timeLimit) {
        this(readConcern, readPreference, timeLimit, Optional.empty(), Optional.empty());
    }

    /// For a plan, of which there is none in a transaction.
    public ReadSettings forPlan() {
        return new ReadSettings(Optional.empty(), readPreference, timeLimit, Optional.empty(), collation);
    }

    ReadSettings within(Duration timeLimit) {
        return new ReadSettings(readConcern, readPreference, timeLimit, session, collation);
    }

    public <T> MongoCollection<T> apply(MongoCollection<T> collection) {
        var read = collection;
        if (readConcern.isPresent()) {
            read = read.withReadConcern(readConcern.get());
        }
        return readPreference.isPresent() ? read.withReadPreference(readPreference.get()) : read;
    }
}
