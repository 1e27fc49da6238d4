package org.restheart.core.filter;

import static org.restheart.http.parameter.DataParameter.SESSION;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.restheart.data.Operation.Write;
import org.restheart.http.Content;
import org.restheart.http.Filter;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Preferences;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.WriteBounds;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.write.Rehearsal;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.session.OwnTransactions;
import org.restheart.rest.session.OwnTransactions.Outcome;

/// Preferences of writes (RFC 7240): `return=representation` and `return=minimal`; `max-affected=N` with `handling`;
/// `tx=rollback`. The representation is that of a `GET` by the same caller, which the same rules authorize; callers who
/// may not read the document get none.
public final class PreferFilter implements Filter {
    private static final String IGNORED = FoundWarnings.line("max-affected is ignored: it needs handling=strict");

    private static final int MAX_PARAMETERS = 100;

    private final JudgedRequests requests;
    private final Optional<OwnTransactions> transactions;

    /// @param transactions empty where writes cannot be part of one
    public PreferFilter(JudgedRequests requests, Optional<OwnTransactions> transactions) {
        this.requests = requests;
        this.transactions = transactions;
    }

    @Override
    public Response filter(Request request, Handler next) {
        if (request.method().isSafe() || !request.headers().has("Prefer")) {
            return next.handle(request);
        }
        var preferences = Preferences.of(request);
        var response = preferred(request, preferences, next);
        return preferences.ignoresMaxAffected() ? response.map(done -> done.withAlso("Warning", IGNORED)) : response;
    }

    private Response preferred(Request request, Preferences preferences, Handler next) {
        boolean isRehearsal = preferences.isRehearsal();
        var most = most(request, preferences);
        if (!isRehearsal && most.isEmpty()) {
            return returned(request, preferences, next);
        }
        var bounded = most.map(number -> request.with(WriteBounds.MAX_AFFECTED, number))
                .orElse(request);
        boolean isInTransaction = SESSION.isIn(request.query()) && DataParameter.TRANSACTION.isIn(request.query());
        var applied = most.map(number -> "handling=strict, max-affected=" + number)
                .map(held -> isRehearsal ? held + ", tx=rollback" : held)
                .orElse("tx=rollback");
        if (isInTransaction) {
            if (isRehearsal) {
                throw Preferences.refusal("tx=rollback is not part of a transaction that goes on: abort that instead");
            }
            return returned(bounded, preferences, next).map(done -> applied(done, applied));
        }
        request.requireThread();
        var own = transactions.orElseThrow(() -> Preferences.refusal("this write cannot be part of a transaction"));
        if (isRehearsal && !isOfFiles(request)) {
            request.body().bytes(); // which each attempt reads; no transaction waits for it
        }
        var rehearsal = new Rehearsal();
        var subject = isRehearsal ? bounded.with(RequestCollections.REHEARSAL, rehearsal) : bounded;
        var done = own.run(subject, attempt -> {
            rehearsal.begin();
            var tried = returned(attempt.partOf(subject), preferences, next).settled();
            return new Outcome<>(tried, !isRehearsal && isDone(tried));
        });
        return applied(done, applied);
    }

    /// Which are refused later, without their content.
    private static boolean isOfFiles(Request request) {
        return request.attribute(DataTarget.KEY)
                .filter(target -> target.kind().isFiles())
                .isPresent();
    }

    private static boolean isDone(Ready response) {
        return response.status() < 300 && response.status() != 207;
    }

    private static Ready applied(Ready response, String held) {
        return response.with(
                Preferences.APPLIED,
                response.headers()
                        .first(Preferences.APPLIED)
                        .map(returned -> returned + ", " + held)
                        .orElse(held));
    }

    /// The bound of a change of many documents, unless the client says that it may be ignored. Other writes are of one
    /// document, or of those that they contain.
    private static Optional<Long> most(Request request, Preferences preferences) {
        var stated = preferences.maxAffected();
        if (stated.isEmpty()) {
            return Optional.empty();
        }
        if (!stated.get().matches("[0-9]{1,18}")) {
            throw Preferences.refusal("max-affected must be a number of documents");
        }
        var target = request.attribute(DataTarget.KEY);
        boolean isOfMany = target.map(DataTarget::operation)
                .filter(operation -> operation == Write.UPDATE_MANY || operation == Write.DELETE_MANY)
                .isPresent();
        boolean isOfDocuments = target.map(DataTarget::kind)
                .filter(ResourceKind.BULK_DOCUMENTS::equals)
                .isPresent();
        if (!isOfMany || !isOfDocuments) {
            throw Preferences.refusal("max-affected bounds PATCH and DELETE of /coll/* only");
        }
        return stated.map(Long::valueOf);
    }

    private Response returned(Request request, Preferences preferences, Handler next) {
        var wanted = preferences.wanted();
        if (wanted.equals("minimal")) {
            return next.handle(request).map(PreferFilter::minimal);
        }
        if (!wanted.equals("representation")) {
            return next.handle(request);
        }
        request.requireThread();
        var written = next.handle(request).settled();
        return written.status() == 200 || written.status() == 201 ? represented(request, written) : written;
    }

    private static Ready minimal(Ready response) {
        return response.status() == 200 || response.status() == 201
                ? response.with(Content.NONE).with(Preferences.APPLIED, "return=minimal")
                : response;
    }

    private Ready represented(Request request, Ready written) {
        return reading(request, written)
                .flatMap(reading -> read(request, reading))
                .map(read -> written.with(read.content())
                        .with(
                                "Content-Type",
                                read.headers().first("Content-Type").orElse(Response.JSON))
                        .with(Preferences.APPLIED, "return=representation"))
                .orElse(written);
    }

    private Optional<Ready> read(Request request, JudgedRequest reading) {
        try {
            var added = request.attribute(JudgedRequest.ADDED).orElse(Set.of());
            return Optional.of(requests.make(request, reading.with(JudgedRequest.ADDED, added))
                            .settled())
                    .filter(read -> read.status() == 200);
        } catch (ProblemException _) { // it may not be read, or is gone
            return Optional.empty();
        }
    }

    /// The `GET` of the written document; empty unless exactly one document was written.
    private static Optional<JudgedRequest> reading(Request request, Ready written) {
        var kind = request.attribute(DataTarget.KEY).map(DataTarget::kind).orElse(ResourceKind.INVALID);
        if (kind == ResourceKind.DOCUMENT && request.method() != Method.DELETE) {
            return Optional.of(get(request.path(), parameters(request.query())));
        }
        return kind == ResourceKind.COLLECTION && request.method() == Method.POST
                ? written.headers().first("Location").map(location -> ofNew(request, location))
                : Optional.empty();
    }

    /// The `GET` of a created document: the path of the request and the last segment of its `Location`. The
    /// rest of the `Location` may be an address of a proxy.
    private static JudgedRequest ofNew(Request request, String location) {
        int mark = location.indexOf('?');
        var address = mark < 0 ? location : location.substring(0, mark);
        var collection = request.path().raw();
        var path = (collection.endsWith("/") ? collection : collection + "/")
                + address.substring(address.lastIndexOf('/') + 1);
        var parameters = parameters(request.query());
        parameters.remove("id_type");
        if (mark >= 0) {
            parameters.putAll(parameters(Query.parse(location.substring(mark + 1), MAX_PARAMETERS)));
        }
        return get(RequestPath.parse(path), parameters);
    }

    private static Map<String, String> parameters(Query query) {
        var parameters = new LinkedHashMap<String, String>();
        DataParameter.in(query).stream()
                .filter(DataParameter::isInherited)
                .forEach(parameter ->
                        parameter.first(query).ifPresent(value -> parameters.put(parameter.wireName(), value)));
        return parameters;
    }

    private static JudgedRequest get(RequestPath path, Map<String, String> parameters) {
        return JudgedRequest.of(Method.GET, path, Query.of(parameters), Via.REST);
    }
}
