package org.restheart.mongo.session;

import com.mongodb.ClientSessionOptions;
import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import java.util.Optional;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.mongo.parameter.Parameters;
import org.restheart.mongo.parameter.SessionParameter;

/// The sessions of requests. Thread-safe.
public final class Sessions {
    private final MongoClient client;
    private final ServerTransactions transactions;

    public Sessions(MongoClient client) {
        this.client = client;
        this.transactions = new ServerTransactions(client);
    }

    ServerTransactions transactions() {
        return transactions;
    }

    /// The owner of the sessions that a request may use.
    static String owner(Request request) {
        return request.caller().account().map(Account::name).orElse("");
    }

    /// MongoDB's session of an id.
    ///
    /// @throws org.restheart.http.ProblemException 404 for one of another owner
    static BsonDocument serverSession(Request request, UUID id) {
        var session = new SessionId(id);
        if (!session.mayBeOf(owner(request))) {
            throw Problem.of(ProblemCode.NOT_FOUND, "Session does not exist").raise();
        }
        return session.serverSession(owner(request));
    }

    /// The session of a request's reads and writes: its transaction or, outside of one, the operation time that
    /// makes a secondary wait for earlier writes of the session. As writes through other gateways are unknown, the
    /// time is read from the primary. Blocks for MongoDB.
    ///
    /// @throws org.restheart.http.ProblemException 404 for a session of another owner
    public Optional<ClientSession> of(Request request, SessionParameter parameter, Parameters parameters) {
        var server = serverSession(request, parameter.sessionId());
        if (parameter.transaction().isPresent()) {
            request.requireThread();
            long number = parameter.transaction().get();
            return Optional.of(
                    AttachedSession.to(times(false), server, number, () -> transactions.abort(server, number)));
        }
        boolean elsewhere = !parameters
                .concerns()
                .readPreference()
                .orElseGet(client::getReadPreference)
                .equals(ReadPreference.primary());
        if (request.method() != Method.GET || !elsewhere || !new SessionId(parameter.sessionId()).isCausal()) {
            return Optional.empty();
        }
        request.requireThread();
        var session = AttachedSession.to(times(true), server);
        client.getDatabase("admin")
                .runCommand(session, new BsonDocument("ping", new BsonInt32(1)), ReadPreference.primary());
        return Optional.of(session);
    }

    private ClientSession times(boolean causal) {
        return client.startSession(
                ClientSessionOptions.builder().causallyConsistent(causal).build());
    }
}
