package org.restheart.mongo.find;

import com.mongodb.ReadConcern;
import com.mongodb.ReadConcernLevel;
import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Collation;
import java.time.Duration;
import java.util.Optional;
import org.restheart.data.Operation.ReadOptions;
import org.restheart.data.Operation.Session;

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

    /// @param options whose names are MongoDB's
    static ReadSettings of(ReadOptions options) {
        return new ReadSettings(
                options.concern().map(name -> new ReadConcern(ReadConcernLevel.fromString(name))),
                options.preference().map(ReadPreference::valueOf),
                options.timeLimit(),
                options.session().map(handle -> ((DriverSession) handle).session()));
    }

    /// These settings in the words of operations.
    public ReadOptions options() {
        return new ReadOptions(
                readConcern.map(ReadConcern::getLevel).map(ReadConcernLevel::getValue),
                readPreference.map(ReadPreference::getName),
                timeLimit,
                session.map(DriverSession::new));
    }

    /// What the handle of a session stands for.
    private record DriverSession(ClientSession session) implements Session {}

    ReadSettings within(Duration timeLimit) {
        return new ReadSettings(readConcern, readPreference, timeLimit, session, collation);
    }

    /// The collection with these settings.
    public <T> MongoCollection<T> apply(MongoCollection<T> collection) {
        var read = collection;
        if (readConcern.isPresent()) {
            read = read.withReadConcern(readConcern.get());
        }
        return readPreference.isPresent() ? read.withReadPreference(readPreference.get()) : read;
    }
}
