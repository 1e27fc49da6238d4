package org.restheart.core.accounts;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.restheart.data.Access;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.WriteBounds;
import org.restheart.http.access.DataTarget;

/// Keeps accounts with the root role from callers who do not have it: who can set such an account's password can log
/// in as it. Their requests cannot change, replace or delete these accounts, as if the access rule excluded them.
/// Callers whom the full authorizer allows everything may change them: they need not log in as anybody else.
///
/// A request that names such an account, or would remove the whole collection, is refused with the reason, unless the
/// access rule hides the account.
///
/// @param withoutRole who may change these accounts without the role
record RootAccountsGuard(RootAccounts accounts, Predicate<Request> withoutRole) implements Filter {
    @Override
    public Response filter(Request request, Handler next) {
        var target = request.attribute(DataTarget.KEY).filter(accounts.users()::isWithin);
        if (target.isEmpty() || !mayWrite(target.get().operation()) || isRoot(request) || withoutRole.test(request)) {
            return next.handle(request);
        }
        request.requireThread();
        var grant = request.caller().grant();
        var excluding = accounts.others();
        var named = named(request, target.get());
        if (named.isEmpty() && excluding.isEmpty() && target.get().operation() != Write.INSERT) { // inserts change none
            named = Optional.of(List.of());
        }
        if (named.filter(some -> accounts.existWithoutPassword(visible(some, grant)))
                .isPresent()) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN,
                    "accounts with the role " + accounts.rootRole()
                            + " are changed and deleted by accounts with this role only");
        }
        return next.handle(excluding
                .map(filter -> request.with(WriteBounds.KEY, new WriteBounds(filter)))
                .orElse(request));
    }

    private static boolean mayWrite(Operation operation) {
        return switch (operation) {
            case Write _ -> true;
            case Structure.DROP -> true;
            case Read _, Structure _, Other _ -> false;
        };
    }

    private boolean isRoot(Request request) {
        return request.caller()
                .account()
                .filter(account -> account.hasRole(accounts.rootRole()))
                .isPresent();
    }

    /// Filters of the accounts that the request names: none, for all accounts, if it removes the whole collection.
    /// Empty if it names none.
    private static Optional<List<BsonDocument>> named(Request request, DataTarget target) {
        return switch (target.operation()) {
            case Write.INSERT, Write.UPLOAD, Write.REPLACE ->
                LastRootAccountGuard.replaces(request, target)
                        ? Optional.of(LastRootAccountGuard.replaced(request, target))
                        : Optional.empty();
            case Write.UPDATE, Write.DELETE, Structure.DROP ->
                Optional.of(target.id().map(LastRootAccountGuard::ofId).stream().toList());
            case Read _, Write _, Structure _, Other _ -> Optional.empty();
        };
    }

    /// Within the access rule's filters.
    private static List<BsonDocument> visible(List<BsonDocument> filters, Access grant) {
        var all = new ArrayList<BsonDocument>();
        all.add(new BsonDocument());
        all.addAll(filters);
        Stream.of(grant.readFilter(), grant.writeFilter())
                .flatMap(Optional::stream)
                .forEach(all::add);
        return all;
    }
}
