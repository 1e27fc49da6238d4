package org.restheart.core.accounts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.Visibility;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig;
import org.restheart.data.Access;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Guard;
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
import org.restheart.http.parameter.ParameterValues;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.rest.guard.ForbiddenOperators;
import org.restheart.rest.parameter.SessionParameter;
import org.restheart.rest.session.OwnTransactions.Attempt;
import org.restheart.security.ProtectedCollection;
import org.restheart.security.acl.PermissionsGuard;
import org.restheart.security.realm.PasswordHashes;
import org.restheart.security.users.PasswordRules;
import org.restheart.security.users.UsersGuard;

/// The guards of services that read or write data, which may be the accounts and permissions themselves. Thread-safe.
public final class DataGuards {
    private final SecurityConfig config;
    private final Optional<StoredSecurity> stored;
    private final PasswordHashes hashes;
    private final Optional<UsersGuard> users;

    DataGuards(SecurityConfig config, Optional<StoredSecurity> stored, PasswordHashes hashes) {
        this.config = config;
        this.stored = stored;
        this.hashes = hashes;
        this.users = config.mongoRealm().map(this::usersGuard);
    }

    /// The guards, the first one outermost.
    ///
    /// @param unreachable says of the segments of a path in a predicate why requests for it do not exist or mean
    ///     something else
    public List<Guard> all(ForbiddenOperators operators, Function<List<String>, Optional<String>> unreachable) {
        var guards = new ArrayList<Guard>();
        stored.ifPresent(security -> guards.add(new FreshAfterWrites(security::written)));
        guards.add(new ExpiryGuard(Stream.of(config.mongoRealm().map(MongoRealmConfig::users), config.mongoAcl())
                .<ProtectedCollection>flatMap(Optional::stream)
                .toList()));
        stored.flatMap(all -> all.rootAccounts)
                .filter(_ -> config.guards().guardsRootRole())
                .map(accounts -> new RootAccountsGuard(accounts, this::mayDoEverything))
                .ifPresent(guards::add);
        users.ifPresent(guards::add); // changes grants
        stored.flatMap(all -> all.requiredRootAccounts)
                .map(accounts -> new LastRootAccountGuard(accounts, operators))
                .ifPresent(guards::add);
        config.mongoAcl().map(acl -> new PermissionsGuard(acl, unreachable)).ifPresent(guards::add);
        return guards;
    }

    /// Whether the full authorizer has allowed the request.
    private boolean mayDoEverything(Request request) {
        return request.caller().grant() instanceof Access.Root
                && config.fullAuthorizer()
                        .filter(needsAccount ->
                                !needsAccount || request.caller().account().isPresent())
                        .isPresent();
    }

    /// Why the guards refuse a request to its caller, whatever its content; empty if that depends on it.
    public Optional<Problem> refusal(Request request) {
        return users.flatMap(guard -> guard.refusal(request));
    }

    private UsersGuard usersGuard(MongoRealmConfig realm) {
        var users = realm.users();
        var strength = realm.minimumStrength().map(PasswordRules.Strength::new);
        Function<Request, PasswordRules> rules = request -> new PasswordRules(
                password -> users.hashed() ? hashes.hash(request, password) : password, users.hashed(), strength);
        var guarded = config.rootRole().filter(_ -> config.guards().guardsRootRole());
        return new UsersGuard(users, guarded, rules, config.guards().unrestrictedRoles());
    }

    /// Refuses indexes by which MongoDB would delete accounts or permissions after some time: its deletions pass no
    /// other guard, so that of the last account with the root role would not be refused.
    private record ExpiryGuard(List<? extends ProtectedCollection> collections) implements Guard {
        @Override
        public boolean concerns(Request request, DataTarget target) {
            return switch (target.operation()) {
                case Structure structure ->
                    structure == Structure.CREATE_INDEX && collections.stream().anyMatch(own -> own.isTargetOf(target));
                case Read _, Write _, Other _ -> false;
            };
        }

        @Override
        public Response guard(Request request, DataTarget target, Handler next) {
            if (request.require(RequestContent.KEY).value() instanceof BsonDocument index
                    && index.get("ops") instanceof BsonDocument options
                    && options.containsKey("expireAfterSeconds")) {
                throw new ProblemException(
                        ProblemCode.CONFLICT,
                        "accounts and permissions do not expire by an index: the last account with the root role"
                                + " could");
            }
            return next.handle(request);
        }
    }

    /// Invalidates cached accounts and permissions after each write through this server that may change them, also
    /// after a failed one, whose outcome is unknown. Of a write in a transaction of its request's own, others see
    /// nothing before that ends.
    ///
    /// @param written invalidates what a write to a target may have changed
    record FreshAfterWrites(Consumer<DataTarget> written) implements Guard {
        @Override
        public boolean concerns(Request request, DataTarget target) {
            return switch (target.operation()) {
                case Write _, Structure _ -> true;
                case Read _, Other _ -> false;
            };
        }

        @Override
        public Response guard(Request request, DataTarget target, Handler next) {
            request.attribute(Attempt.KEY).ifPresent(attempt -> attempt.atEnd(() -> written.accept(target)));
            Response response;
            try {
                response = next.handle(request);
            } catch (RuntimeException | Error failure) {
                written.accept(target);
                throw failure;
            }
            return response.whenDone(() -> written.accept(target));
        }
    }

    /// Keeps accounts with the root role from callers who do not have it: who can set such an account's
    /// password can log in as it. Their requests cannot change, replace or delete these accounts, as if the
    /// access rule excluded them. Callers whom the full authorizer allows everything may change them: they
    /// need not log in as anybody else.
    ///
    /// A request that names such an account, or would remove the whole collection, is refused with the
    /// reason, unless the access rule hides the account.
    ///
    /// @param withoutRole who may change these accounts without the role
    private record RootAccountsGuard(RootAccounts accounts, Predicate<Request> withoutRole) implements Guard {
        @Override
        public boolean concerns(Request request, DataTarget target) {
            return switch (target.operation()) {
                case Write _ -> isKeptFrom(request, target);
                case Structure structure -> structure == Structure.DROP && isKeptFrom(request, target);
                case Read _, Other _ -> false;
            };
        }

        private boolean isKeptFrom(Request request, DataTarget target) {
            return accounts.users().isWithin(target) && !isRoot(request) && !withoutRole.test(request);
        }

        @Override
        public Response guard(Request request, DataTarget target, Handler next) {
            request.requireThread();
            var grant = request.caller().grant();
            var excluding = accounts.others();
            var named = named(request, target);
            if (named.isEmpty() && excluding.isEmpty() && target.operation() != Write.INSERT) { // inserts change none
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

        private boolean isRoot(Request request) {
            return request.caller()
                    .account()
                    .filter(account -> account.hasRole(accounts.rootRole()))
                    .isPresent();
        }

        /// Filters of the accounts that the request names: none, for all accounts, if it removes the
        /// whole collection. Empty if it names none.
        private static Optional<List<BsonDocument>> named(Request request, DataTarget target) {
            return switch (target.operation()) {
                case Write.INSERT, Write.UPLOAD, Write.REPLACE ->
                    LastRootAccountGuard.replaces(request, target)
                            ? Optional.of(LastRootAccountGuard.replaced(request, target))
                            : Optional.empty();
                case Write.UPDATE, Write.DELETE, Structure.DROP ->
                    Optional.of(
                            target.id().map(LastRootAccountGuard::ofId).stream().toList());
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

    /// Refuses requests of the data API that would delete the last account with the root role, or take the
    /// role or the password from it: that could not be undone over HTTP.
    ///
    /// Writes that concern such accounts are serialized, at all gateways together
    /// ([RootAccounts.RootAccountsLock]), so that two requests cannot remove the last two of them. Writes of
    /// other accounts are not: they could wait in MongoDB for as long as their client likes, and all others
    /// behind them. Within a transaction, whose other changes the check does not see, all such writes are
    /// refused.
    private static final class LastRootAccountGuard implements Guard {
        /// How long a write waits for its turn.
        private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

        private static final Set<String> REPLACING = Set.of("update", "upsert");

        private final RootAccounts accounts;
        private final ForbiddenOperators operators;
        private final ReentrantLock turn = new ReentrantLock(true);

        LastRootAccountGuard(RootAccounts accounts, ForbiddenOperators operators) {
            this.accounts = accounts;
            this.operators = operators;
        }

        @Override
        public boolean concerns(Request request, DataTarget target) {
            return accounts.users().isWithin(target);
        }

        @Override
        public Response guard(Request request, DataTarget target, Handler next) {
            return switch (target.operation()) {
                case Write.DELETE, Write.DELETE_MANY, Write.DELETE_ONE, Structure.DROP ->
                    deletes(request, target, next);
                case Write.UPDATE, Write.UPDATE_MANY, Write.UPDATE_ONE ->
                    concernsPasswordsAlone(request.require(RequestContent.KEY).value())
                            ? next.handle(request)
                            : changes(request, target, next);
                case Write.REPLACE_ONE -> changes(request, target, next);
                case Write.INSERT, Write.UPLOAD, Write.REPLACE -> replaces(request, target, next);
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

        /// Filters of the accounts that the documents of the request replace; none, for all accounts, if
        /// that is unknown.
        static List<BsonDocument> replaced(Request request, DataTarget target) {
            if (target.operation() == Write.REPLACE) {
                return target.id()
                        .map(LastRootAccountGuard::ofId)
                        .map(List::of)
                        .orElseGet(() -> List.of(new BsonDocument()));
            }
            var content = request.require(RequestContent.KEY).value();
            var ids = new ArrayList<BsonValue>();
            for (var document : BsonValues.several(content)) {
                if (document instanceof BsonDocument account && account.containsKey("_id")) {
                    ids.add(account.get("_id"));
                }
            }
            return List.of(ofIds(ids));
        }

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
                        "nobody could manage this server any more: no other account has the role "
                                + accounts.rootRole());
            }
        }

        /// Whether every account with the root role matches all filters; false if there is no such
        /// account.
        private boolean includeAll(List<BsonDocument> filters) {
            return accounts.exist(filters) && !accounts.existBeside(filters);
        }

        /// Filters of the accounts that the request may write. They include the access rule's filter, so
        /// that a refusal reveals nothing of other accounts, and what clients send is checked as it is
        /// for the write itself. The filters of a request in a transaction are left out: earlier changes
        /// in the transaction, which this check does not see, may have changed what they match.
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
                var sent = ParameterValues.sent(DataParameter.FILTER, request.query()).stream()
                        .map(BsonValue::asDocument)
                        .filter(filter ->
                                visibility.isEmpty() || visibility.get().allowsFilter(filter))
                        .toList();
                sent.forEach(operators::checkFilter);
                var rule = grant.writeFilter();
                filters.addAll(rule.isEmpty() ? sent : List.of(StagedFilter.ofWrites(rule, sent)));
            }
            return filters;
        }

        static BsonDocument ofId(BsonValue id) {
            return new BsonDocument("_id", new BsonDocument("$eq", id));
        }

        private static BsonDocument ofIds(List<BsonValue> ids) {
            return new BsonDocument("_id", new BsonDocument("$in", new BsonArray(ids)));
        }
    }
}
