package org.restheart.core.accounts;

import com.mongodb.MongoNamespace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig;
import org.restheart.data.Access;
import org.restheart.data.Operation.Structure;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.access.DataTarget;
import org.restheart.mongo.guard.ForbiddenOperators;
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
    /// @param operators that filters must not contain
    /// @param unreachable says of the segments of a path in a predicate why requests for it do not exist or mean
    ///     something else
    public List<Filter> filters(ForbiddenOperators operators, Function<List<String>, Optional<String>> unreachable) {
        var guards = new ArrayList<Filter>();
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

    /// Projections that remove secrets from documents, by collection, for services that read without a caller's
    /// permissions.
    public Map<MongoNamespace, BsonDocument> secrets() {
        return config.mongoRealm()
                .map(MongoRealmConfig::users)
                .map(users -> Map.of(
                        new MongoNamespace(users.database(), users.collection()), UsersGuard.withoutSecrets(users)))
                .orElse(Map.of());
    }

    private UsersGuard usersGuard(MongoRealmConfig realm) {
        var users = realm.users();
        var strength = realm.minimumStrength().map(PasswordRules.Strength::new);
        Function<Request, PasswordRules> rules = request -> new PasswordRules(
                password -> users.hashed() ? hashes.hash(request, password) : password, users.hashed(), strength);
        var guarded = config.rootRole().filter(_ -> config.guards().guardsRootRole());
        return new UsersGuard(users, guarded, rules, config.guards().unrestrictedRoles());
    }

    /// `accounts` or `permissions`, by the full names of the collections that hold them.
    public Map<String, String> stores() {
        var stores = new HashMap<String, String>();
        config.mongoRealm()
                .map(MongoRealmConfig::users)
                .ifPresent(users -> stores.put(users.database() + "." + users.collection(), "accounts"));
        config.mongoAcl().ifPresent(acl -> stores.put(acl.database() + "." + acl.collection(), "permissions"));
        return stores;
    }

    /// The full names of the collections of accounts, permissions, keys and sessions.
    public Set<String> collections() {
        var collections = new HashSet<>(stores().keySet());
        config.reserved().forEach(namespace -> collections.add(namespace.getFullName()));
        return collections;
    }

    /// Refuses indexes by which MongoDB would delete accounts or permissions after some time: its deletions pass no
    /// other guard, so that of the last account with the root role would not be refused.
    ///
    /// @param collections in which documents must not expire
    private record ExpiryGuard(List<? extends ProtectedCollection> collections) implements Filter {
        @Override
        public Response filter(Request request, Handler next) {
            if (request.attribute(DataTarget.KEY).filter(this::concerns).isPresent()
                    && request.require(RequestContent.KEY).value() instanceof BsonDocument index
                    && index.get("ops") instanceof BsonDocument options
                    && options.containsKey("expireAfterSeconds")) {
                throw new ProblemException(
                        ProblemCode.CONFLICT,
                        "accounts and permissions do not expire by an index: the last account with the root role"
                                + " could");
            }
            return next.handle(request);
        }

        private boolean concerns(DataTarget target) {
            return target.operation() == Structure.CREATE_INDEX
                    && collections.stream().anyMatch(own -> own.isTargetOf(target));
        }
    }

    /// Invalidates cached accounts and permissions after each write through this server that may change them, also
    /// after a failed one, whose outcome is unknown.
    ///
    /// @param written invalidates what a write to a target may have changed
    record FreshAfterWrites(Consumer<DataTarget> written) implements Filter {
        @Override
        public Response filter(Request request, Handler next) {
            var target = request.attribute(DataTarget.KEY);
            if (request.method().isSafe() || target.isEmpty()) {
                return next.handle(request);
            }
            Response response;
            try {
                response = next.handle(request);
            } catch (RuntimeException | Error failure) {
                written.accept(target.get());
                throw failure;
            }
            return response.whenDone(() -> written.accept(target.get()));
        }
    }
}
