package org.restheart.core.accounts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.http.Response;
import org.restheart.http.WriteBounds;
import org.restheart.http.access.DataTarget;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.parameter.SessionParameter;

/// Refuses requests of the data API that would delete the last account with the root role, or take the role or
/// the password from it: that could not be undone over HTTP.
///
/// Writes that concern such accounts are serialized, at all gateways together ([RootAccountsLock]), so that two
/// requests cannot remove the last two of them. Writes of other accounts are not: they could wait in MongoDB for as
/// long as their client likes, and all others behind them. Within a transaction, whose other changes the check does not
/// see, all such writes are refused.
final class LastRootAccountGuard implements Filter {
    /// How long a write waits for its turn.
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private static final Set<String> REPLACING = Set.of("update", "upsert");

    private final RootAccounts accounts;
    private final ForbiddenOperators operators;
    private final ReentrantLock turn = new ReentrantLock(true);

    /// @param operators that filters must not contain
    LastRootAccountGuard(RootAccounts accounts, ForbiddenOperators operators) {
        this.accounts = accounts;
        this.operators = operators;
    }

    @Override
    public Response filter(Request request, Handler next) {
        var target = request.attribute(DataTarget.KEY).filter(accounts.users()::isWithin);
        if (target.isEmpty()) {
            return next.handle(request);
        }
        return switch (target.get().operation()) {
            case Write.DELETE, Write.DELETE_MANY, Write.DELETE_ONE, Structure.DROP ->
                deletes(request, target.get(), next);
            case Write.UPDATE, Write.UPDATE_MANY, Write.UPDATE_ONE ->
                concernsPasswordsAlone(request.require(RequestContent.KEY).value())
                        ? next.handle(request)
                        : changes(request, target.get(), next);
            case Write.REPLACE_ONE -> changes(request, target.get(), next);
            case Write.INSERT, Write.UPLOAD, Write.REPLACE -> replaces(request, target.get(), next);
            case Read _, Structure _, Other _ -> next.handle(request);
        };
    }

    private Response deletes(Request request, DataTarget target, Handler next) {
        var filters = targeted(request, target);
        return inTurn(request, filters, () -> {
            refuseTheLast(request, filters);
            return next.handle(request);
        });
    }

    private Response changes(Request request, DataTarget target, Handler next) {
        var filters = targeted(request, target);
        return inTurn(request, filters, () -> {
            if (target.id().isPresent()) {
                boolean checked = SessionParameter.namesTransaction(request.query()) || includeAll(filters);
                return next.handle(checked ? request.with(DocumentCheck.KEY, checking(request)) : request);
            }
            refuseTheLast(request, filters);
            return next.handle(request);
        });
    }

    private Response replaces(Request request, DataTarget target, Handler next) {
        return replaces(request, target)
                ? inTurn(
                        request,
                        replaced(request, target),
                        () -> next.handle(request.with(DocumentCheck.KEY, checking(request))))
                : next.handle(request);
    }

    /// Whether a replacement or an insert can replace documents.
    static boolean replaces(Request request, DataTarget target) {
        return target.operation() == Write.REPLACE
                ? target.id().isPresent()
                : DataParameter.WRITE_MODE.isIn(request.query())
                        || request.query().names().stream().anyMatch(REPLACING::contains);
    }

    /// Filters of the accounts that the documents of the request replace; none, for all accounts, if that is
    /// unknown.
    static List<BsonDocument> replaced(Request request, DataTarget target) {
        if (target.operation() == Write.REPLACE) {
            return target.id()
                    .map(LastRootAccountGuard::ofId)
                    .map(List::of)
                    .orElseGet(() -> List.of(new BsonDocument()));
        }
        var content = request.require(RequestContent.KEY).value();
        var ids = new ArrayList<BsonValue>();
        for (var document : content instanceof BsonArray several ? several : List.of(content)) {
            if (document instanceof BsonDocument account && account.containsKey("_id")) {
                ids.add(account.get("_id"));
            }
        }
        return List.of(ofIds(ids));
    }

    /// @param concerned filters of the accounts that are written
    private Response inTurn(Request request, List<BsonDocument> concerned, Supplier<Response> write) {
        request.requireThread();
        if (!accounts.exist(concerned)) {
            return write.get();
        }
        try {
            if (!turn.tryLock(LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
                throw busy();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw busy();
        }
        try {
            var held = accounts.lock().take(LONGEST_WAIT).orElseThrow(LastRootAccountGuard::busy);
            try {
                return write.get().settled();
            } finally {
                held.run();
            }
        } finally {
            turn.unlock();
        }
    }

    private static ProblemException busy() {
        return Problem.overloaded("other changes of accounts are under way").raise();
    }

    /// Whether the change sets only a password, which leaves the account its role.
    private boolean concernsPasswordsAlone(BsonValue content) {
        return content instanceof BsonDocument change
                && change.keySet().stream().allMatch(accounts.users().passwordProperty()::equals);
    }

    private DocumentCheck checking(Request request) {
        var others = request.attribute(DocumentCheck.KEY);
        return documents -> {
            others.ifPresent(check -> check.check(documents));
            var demoted = new ArrayList<BsonValue>();
            for (var document : documents) {
                if (document.containsKey("_id") && !accounts.is(document)) {
                    demoted.add(document.get("_id"));
                }
            }
            if (!demoted.isEmpty()) {
                refuseTheLast(request, List.of(ofIds(demoted)));
            }
        };
    }

    /// @param filters of the accounts that are deleted or demoted
    private void refuseTheLast(Request request, List<BsonDocument> filters) {
        if (SessionParameter.namesTransaction(request.query()) && accounts.exist(filters)) {
            throw new ProblemException(
                    ProblemCode.CONFLICT,
                    "accounts with the role " + accounts.rootRole()
                            + " are deleted or changed outside of transactions only");
        }
        if (includeAll(filters)) {
            throw new ProblemException(
                    ProblemCode.CONFLICT,
                    "nobody could manage this server any more: no other account has the role " + accounts.rootRole());
        }
    }

    /// Whether every account with the root role matches all filters; false if there is no such account.
    private boolean includeAll(List<BsonDocument> filters) {
        return accounts.exist(filters) && !accounts.existBeside(filters);
    }

    /// Filters of the accounts that the request may write. They include the access rule's filter, so that a
    /// refusal reveals nothing of other accounts, and what clients send is checked as it is for the write
    /// itself. The filters of a request in a transaction are left out: earlier changes in the transaction,
    /// which this check does not see, may have changed what they match.
    private List<BsonDocument> targeted(Request request, DataTarget target) {
        var filters = new ArrayList<BsonDocument>();
        filters.add(WriteBounds.within(request, new BsonDocument()));
        target.id().ifPresent(id -> filters.add(ofId(id)));
        if (SessionParameter.namesTransaction(request.query())) {
            return filters;
        }
        if (target.operation() instanceof Write) {
            var grant = request.caller().grant();
            // Which accounts match must not tell about hidden fields: any may be written then.
            var visibility = grant.projectResponse().map(Visibility::of);
            var sent = sent(request).stream()
                    .filter(filter -> visibility.isEmpty() || visibility.get().allowsFilter(filter))
                    .toList();
            sent.forEach(operators::checkFilter);
            var rule = grant.writeFilter();
            filters.addAll(rule.isEmpty() ? sent : List.of(StagedFilter.ofWrites(rule, sent)));
        }
        return filters;
    }

    /// The filters of the query; those that do not parse are refused by the handler.
    private static List<BsonDocument> sent(Request request) {
        var sent = new ArrayList<BsonDocument>();
        for (var text : DataParameter.FILTER.texts(request.query())) {
            try {
                if (JsonParser.parse(text) instanceof BsonDocument filter) {
                    sent.add(filter);
                }
            } catch (MalformedJsonException _) {
                return List.of();
            }
        }
        return sent;
    }

    static BsonDocument ofId(BsonValue id) {
        return new BsonDocument("_id", new BsonDocument("$eq", id));
    }

    private static BsonDocument ofIds(List<BsonValue> ids) {
        return new BsonDocument("_id", new BsonDocument("$in", new BsonArray(ids)));
    }
}
