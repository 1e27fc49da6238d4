package org.restheart.security.acl;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.judged.AccessExplanation.Tried;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.security.Authorizer;
import org.restheart.security.InvalidatedCache;
import org.restheart.security.predicate.Attempt;
import org.restheart.security.predicate.KindAttempt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Allows what a permission of one of the account's roles allows. Roles are tried in the account's order, permissions
/// in their order of priority; the first that applies decides.
///
/// @param rootRole the role that is allowed everything, without any permission
public record AclAuthorizer(Permissions permissions, Optional<String> rootRole) implements Authorizer {
    /// The role of anonymous callers.
    public static final String UNAUTHENTICATED = "$unauthenticated";

    private static List<String> rolesOf(@Nullable Account account) {
        return account == null ? List.of(UNAUTHENTICATED) : account.roles();
    }

    private boolean isRoot(@Nullable Account account) {
        return account != null && rootRole.filter(account::hasRole).isPresent();
    }

    @Override
    public boolean requiresAuthentication(Request request) {
        if (request.method() == Method.OPTIONS) {
            return false;
        }
        var attempt = new Attempt(request, null, false);
        return permissions.of(request, UNAUTHENTICATED).stream().noneMatch(permission -> permission.test(attempt));
    }

    /// Credentials with fewer roles than their account never allow more than the account: what a permission of
    /// another of its roles decides, and thereby limits, is refused.
    @Override
    public Optional<Access> authorize(Request request, @Nullable Account account) {
        if (request.method() == Method.OPTIONS) {
            return Optional.of(new Access.Root());
        }
        if (account == null || !account.isLimited()) {
            return granted(request, account, rolesOf(account)).map(Granted::grant);
        }
        var whole = granted(request, account, account.all());
        if (whole.isEmpty() || account.hasRole(whole.get().role)) {
            return whole.map(Granted::grant);
        }
        var own = granted(request, account, rolesOf(account));
        var limits = whole.get().grant;
        return own.isEmpty() && limits.covers(new Access.Root())
                ? Optional.empty() // whatever other authorizers allow is not more
                : Optional.of(own.map(Granted::grant).filter(limits::covers).orElse(new Access.Denied()));
    }

    private record Granted(String role, Access grant) {}

    private Optional<Granted> granted(Request request, @Nullable Account account, List<String> roles) {
        if (account != null && rootRole.filter(roles::contains).isPresent()) {
            return rootRole.map(role -> new Granted(role, new Access.Root()));
        }
        var attempt = new Attempt(request, account);
        for (var role : roles) {
            for (var permission : permissions.of(request, role)) {
                var grant = permission.apply(attempt);
                if (grant.isPresent()) {
                    return Optional.of(new Granted(role, grant.get()));
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public Set<Privilege> lacking(Request request, @Nullable Account account) {
        var attempt = new Attempt(request, account);
        for (var role : rolesOf(account)) {
            for (var permission : permissions.of(request, role)) {
                if (permission.test(attempt)) {
                    return permission.missing(attempt);
                }
            }
        }
        return Set.of();
    }

    @Override
    public List<RuleDecision> ask(Request example, KindAttempt attempt) {
        var account = attempt.account();
        if (example.method() == Method.OPTIONS) {
            return List.of(RuleDecision.of("options", Decision.ALWAYS));
        }
        if (isRoot(account)) {
            return List.of(RuleDecision.of("root role", Decision.ALWAYS));
        }
        var decisions = new ArrayList<RuleDecision>();
        RuleDecision other = null; // of a role of the account that the credentials do not have
        for (var role : account == null || isRootOf(account) ? rolesOf(account) : account.all()) {
            for (var permission : permissions.of(example, role)) {
                var decision = permission.ask(attempt, role);
                if (account != null && !account.hasRole(role)) {
                    if (decision.decision() != Decision.NEVER
                            && (other == null || other.decision() != Decision.ALWAYS)) {
                        other = decision;
                    }
                } else if (other == null) {
                    decisions.add(decision);
                    if (decision.decision() == Decision.ALWAYS) {
                        return decisions;
                    }
                } else if (other.decision() != Decision.ALWAYS || other.grant().covers(decision.grant())) {
                    decisions.add(decision.decision() == Decision.ALWAYS ? decision.with(Decision.DEPENDS) : decision);
                }
            }
        }
        return decisions;
    }

    /// Whether the account has the root role, perhaps not with these credentials: it may do everything that they may.
    private boolean isRootOf(Account account) {
        return rootRole.filter(account.all()::contains).isPresent();
    }

    @Override
    public List<Tried> explain(Request request, @Nullable Account account) {
        if (request.method() == Method.OPTIONS) {
            return List.of(Tried.of("OPTIONS", Optional.of(new Access.Root())));
        }
        if (isRoot(account)) {
            return List.of(Tried.of("root role", Optional.of(new Access.Root())));
        }
        var attempt = new Attempt(request, account);
        var roles = rolesOf(account);
        boolean refused = false;
        if (account != null && account.isLimited()) {
            refused = authorize(request, account)
                    .filter(Access.Denied.class::isInstance)
                    .isPresent();
            roles = refused ? account.all() : roles;
        }
        var tried = new ArrayList<Tried>();
        for (var role : roles) {
            for (var permission : permissions.of(request, role)) {
                var rule = permission.explain(attempt, role);
                tried.add(refused ? rule.refused("the credentials do not have the role " + role) : rule);
                if (rule.grant().isPresent()) {
                    return tried;
                }
            }
        }
        return tried;
    }

    /// The permissions of an [AclAuthorizer]. Thread-safe.
    @FunctionalInterface
    interface Permissions {
        /// The permissions of a role in the order in which they are tried. Does not block for cached
        /// permissions; otherwise it first calls [Request#requireThread()].
        ///
        /// @throws RuntimeException if they cannot be loaded: the request is then refused
        List<Permission> of(Request request, String role);
    }

    /// The permissions of a file. Thread-safe.
    ///
    /// Within a role the lower priority is tried first; of equal ones, the one that is later in the file.
    public static final class FilePermissions implements Permissions {
        private volatile Map<String, List<Permission>> byRole;

        /// @param permissions in the order of the file
        public FilePermissions(List<Permission> permissions) {
            this.byRole = byRole(permissions);
        }

        public void replace(List<Permission> permissions) {
            byRole = byRole(permissions);
        }

        private static Map<String, List<Permission>> byRole(List<Permission> permissions) {
            var byRole = new HashMap<String, List<Permission>>();
            permissions.reversed().stream()
                    .sorted(Comparator.comparingDouble(rule -> rule.priority().orElse(Double.POSITIVE_INFINITY)))
                    .forEach(rule -> rule.roles().stream()
                            .distinct()
                            .forEach(role -> byRole.computeIfAbsent(role, _ -> new ArrayList<>())
                                    .add(rule)));
            return Map.copyOf(byRole);
        }

        @Override
        public List<Permission> of(Request request, String role) {
            return byRole.getOrDefault(role, List.of());
        }
    }

    /// The permissions of a collection, loaded and parsed per role on first use. Thread-safe.
    ///
    /// Within a role the higher priority is tried first; of two equal ones the one with the higher `_id`.
    public static final class StoredPermissions implements Permissions {
        private static final Logger LOG = LoggerFactory.getLogger(StoredPermissions.class);
        private static final int MAX_REPORTED = 1_000;

        private final Function<String, List<BsonDocument>> ofRole;
        private final InvalidatedCache<String, List<Permission>> kept;
        /// Permissions are read repeatedly; each fault is logged once.
        private final Set<String> reported = ConcurrentHashMap.newKeySet();

        /// @param ofRole the documents of a role, by `_id` descending; may block; throws 503 if it cannot query now
        public StoredPermissions(
                Function<String, List<BsonDocument>> ofRole, InvalidatedCache<String, List<Permission>> kept) {
            this.ofRole = ofRole;
            this.kept = kept;
        }

        @Override
        public List<Permission> of(Request request, String role) {
            var known = kept.get(role);
            if (known.isPresent()) {
                return known.get();
            }
            request.requireThread();
            var loaded = kept.load(role, this::read);
            return loaded == null ? List.of() : loaded;
        }

        private List<Permission> read(String role) {
            var permissions = new ArrayList<Permission>();
            for (var document : ofRole.apply(role)) {
                read(document).ifPresent(permissions::add);
            }
            permissions.sort(Comparator.comparingDouble(
                            (Permission rule) -> rule.priority().orElse(Double.NEGATIVE_INFINITY))
                    .reversed());
            return List.copyOf(permissions);
        }

        /// Logs what is wrong with a stored permission, before a request needs it.
        public void inspect(BsonDocument document) {
            read(document);
        }

        private Optional<Permission> read(BsonDocument document) {
            try {
                var permission = PermissionReader.ofDocument(document);
                PermissionReader.warnings(document).forEach(warning -> report(document, ": " + warning));
                return Optional.of(permission);
            } catch (PermissionException e) {
                report(document, " is not used: " + e.getMessage());
                return Optional.empty();
            }
        }

        private void report(BsonDocument document, String fault) {
            var line = PermissionReader.placeOf(document) + fault;
            if (reported.size() < MAX_REPORTED && reported.add(line)) {
                LOG.warn("{}", line);
            }
        }
    }
}
