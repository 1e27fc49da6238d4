package org.restheart.rest.session;

import static org.restheart.http.ProblemCode.BAD_REQUEST;

import com.mongodb.MongoCommandException;
import com.mongodb.ReadConcern;
import java.util.UUID;
import java.util.function.ObjLongConsumer;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.FoundWarnings;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.Locations;
import org.restheart.rest.parameter.SessionParameter;
import org.restheart.rest.session.ServerTransactions.TransactionState;
import org.restheart.rest.session.Sessions.SessionId;
import org.restheart.text.ShortText;

/// The resources below `/_sessions`. Thread-safe.
public final class SessionHandlers {
    private final Sessions sessions;
    private final ServerTransactions transactions;
    private final OpenTransactions open;
    private final Locations locations;

    public SessionHandlers(Sessions sessions, Locations locations) {
        this.sessions = sessions;
        this.transactions = sessions.transactions();
        this.open = sessions.open();
        this.locations = locations;
    }

    /// `POST /_sessions`: the session is created in MongoDB when it is first used.
    public Response create(DataRequest request) {
        var content = request.contentDocument();
        var ops = content.get("ops", new BsonDocument());
        if (!ops.isDocument()) {
            throw new ProblemException(BAD_REQUEST, "ops must be an object");
        }
        warnOfUnknown(request, "", content, "ops");
        warnOfUnknown(request, "ops.", ops.asDocument(), "causallyConsistent");
        var causal = ops.asDocument().get("causallyConsistent", BsonBoolean.TRUE);
        if (!causal.isBoolean()) {
            throw new ProblemException(BAD_REQUEST, "causallyConsistent must be a boolean");
        }
        var id = SessionId.create(
                Sessions.owner(request.http()), causal.asBoolean().getValue());
        return JsonResponses.empty(201)
                .with("Location", locations.below(request, id.uuid().toString()));
    }

    private static void warnOfUnknown(DataRequest request, String prefix, BsonDocument options, String known) {
        options.keySet().stream()
                .filter(name -> !name.equals(known))
                .forEach(name -> FoundWarnings.add(
                        request.http(),
                        prefix + ShortText.of(name, 50)
                                + " has no effect; options are {\"ops\": {\"causallyConsistent\": false}}"));
    }

    /// `DELETE /_sessions/{sid}`: also ends all operations in it.
    public Response delete(DataRequest request) {
        var session = Sessions.serverSession(request.http(), id(request));
        request.http().requireThread();
        var latest = open.latest(session);
        transactions.kill(session);
        latest.ifPresent(number -> open.ended(session, number));
        return JsonResponses.empty(200);
    }

    /// `GET /_sessions/{sid}/_txns`: the latest transaction.
    public Response status(DataRequest request) {
        request.http().requireThread();
        var session = session(request);
        var current = transactions
                .current(session)
                .<BsonValue>map(txn -> new BsonDocument("id", new BsonInt64(txn.number()))
                        .append("status", new BsonString(txn.state().name())))
                .orElse(BsonNull.VALUE);
        return JsonResponses.of(request, 200, new BsonDocument("currentTxn", current));
    }

    /// `POST /_sessions/{sid}/_txns`: starts the next one, unless one is in progress.
    ///
    /// @throws ProblemException 429, 503 if too many are in progress
    public Response begin(DataRequest request) {
        request.http().requireThread();
        var session = session(request);
        var current = transactions.current(session);
        if (current.isPresent() && current.get().state() == TransactionState.IN) {
            return inProgress(request, current.get().number());
        }
        long next = current.map(txn -> txn.number() + 1).orElse(1L);
        open.begin(Sessions.charged(), session, next);
        boolean refused = false;
        try {
            transactions.begin(
                    session, next, request.parameters().concerns().readConcern().orElse(ReadConcern.DEFAULT));
        } catch (MongoCommandException e) { // a concurrent request may have started it
            refused = true;
            var started = transactions.current(session).filter(txn -> txn.number() >= next);
            if (started.isEmpty()) {
                throw e;
            }
            return inProgress(request, started.get().number());
        } catch (ProblemException e) {
            refused = true;
            throw e;
        } finally {
            open.begun(session, next, !refused);
        }
        return JsonResponses.empty(201).with("Location", request.selfPath() + "/" + next);
    }

    private static Response inProgress(DataRequest request, long number) {
        var warning = "transaction " + number + " of this session is in progress: PATCH commits it, DELETE aborts it";
        return JsonResponses.empty(304)
                .with("Location", request.selfPath() + "/" + number)
                .with("Warning", FoundWarnings.line(warning));
    }

    /// `PATCH /_sessions/{sid}/_txns/{n}`
    public Response commit(DataRequest request) {
        return end(request, transactions::commit, 200);
    }

    /// `DELETE /_sessions/{sid}/_txns/{n}`
    public Response abort(DataRequest request) {
        return end(request, transactions::abort, 204);
    }

    private Response end(DataRequest request, ObjLongConsumer<BsonDocument> how, int status) {
        request.http().requireThread();
        var session = session(request);
        long number = SessionParameter.transaction(
                String.valueOf(request.path().transaction()), "illegal txnId: it must be a number");
        how.accept(session, number);
        open.ended(session, number);
        return JsonResponses.empty(status);
    }

    private BsonDocument session(DataRequest request) {
        return sessions.admitted(request.http(), id(request));
    }

    private static UUID id(DataRequest request) {
        return SessionParameter.sessionId(request.path().requireName());
    }
}
