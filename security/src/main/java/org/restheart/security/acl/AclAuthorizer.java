package org.restheart.security.acl;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
import org.restheart.security.predicate.Attempt;
import org.restheart.security.predicate.KindAttempt;

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
        /// The permissions of a role in the order in which they are tried. Does not block for cached permissions;
        /// otherwise it first calls [Request#requireThread()].
        ///
        /// @throws RuntimeException if they cannot be loaded: the request is then refused
        List<Permission> of(Request request, String role);
    }
}
