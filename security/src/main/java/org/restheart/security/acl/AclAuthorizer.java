package org.restheart.security.acl;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.Demand;
import org.restheart.http.access.Grant;
import org.restheart.http.judged.AccessExplanation.Tried;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.security.Authorizer;
import org.restheart.security.predicate.Attempt;
import org.restheart.security.predicate.KindAttempt;

/// Allows what a permission of one of the account's roles allows. Roles are tried in the account's order, permissions
/// in their order of priority; the first that applies decides.
public final class AclAuthorizer implements Authorizer {
    /// The role of anonymous callers.
    public static final String UNAUTHENTICATED = "$unauthenticated";

    private final Permissions permissions;
    private final Optional<String> rootRole;

    /// @param rootRole the role that is allowed everything, without any permission
    public AclAuthorizer(Permissions permissions, Optional<String> rootRole) {
        this.permissions = permissions;
        this.rootRole = rootRole;
    }

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

    @Override
    public Optional<Grant> authorize(Request request, @Nullable Account account) {
        if (request.method() == Method.OPTIONS || isRoot(account)) {
            return Optional.of(Grant.FULL);
        }
        var attempt = new Attempt(request, account);
        for (var role : rolesOf(account)) {
            for (var permission : permissions.of(request, role)) {
                var grant = permission.apply(attempt);
                if (grant.isPresent()) {
                    return grant;
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public Set<Demand> lacking(Request request, @Nullable Account account) {
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
    public List<RuleAnswer> ask(Request example, KindAttempt attempt) {
        var account = attempt.account();
        if (example.method() == Method.OPTIONS) {
            return List.of(RuleAnswer.of("options", Answer.ALWAYS));
        }
        if (isRoot(account)) {
            return List.of(RuleAnswer.of("root role", Answer.ALWAYS));
        }
        var answers = new ArrayList<RuleAnswer>();
        for (var role : rolesOf(account)) {
            for (var permission : permissions.of(example, role)) {
                var answer = permission.ask(attempt, role);
                answers.add(answer);
                if (answer.answer() == Answer.ALWAYS) {
                    return answers;
                }
            }
        }
        return answers;
    }

    @Override
    public List<Tried> explain(Request request, @Nullable Account account) {
        if (request.method() == Method.OPTIONS) {
            return List.of(Tried.of("OPTIONS", Optional.of(Grant.FULL)));
        }
        if (isRoot(account)) {
            return List.of(Tried.of("root role", Optional.of(Grant.FULL)));
        }
        var attempt = new Attempt(request, account);
        var tried = new ArrayList<Tried>();
        for (var role : rolesOf(account)) {
            for (var permission : permissions.of(request, role)) {
                var rule = permission.explain(attempt, role);
                tried.add(rule);
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
