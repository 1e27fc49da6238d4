package org.restheart.security.users;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Filter;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.Hidden;
import org.restheart.http.access.ResourceKind;
import org.restheart.security.FailedAuthLogger;
import org.restheart.security.predicate.UpsertFilters;
import org.restheart.security.realm.UsersCollection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Guards requests of the data API to the collection of accounts, by any path. The restrictions on passwords and
/// the root role apply to all callers.
public final class UsersGuard implements Filter {
    private static final Logger LOG = LoggerFactory.getLogger(UsersGuard.class);
    private static final Set<String> TOKENS = Set.of("emailVerificationToken", "passwordResetToken", "inviteToken");

    /// A warning, not a refusal: accounts that log in by identity providers need no password.
    private static final String NO_PASSWORD = "the account has no password: nobody can log in with one";

    /// Begins with the text that clients know.
    private static final String ROOT_REFUSED = "Forbidden. The request has been logged. It gives, or could give, an"
            + " account the root role, which no request may, whoever sends it: that is done in MongoDB, or by a start"
            + " with --reset-admin";

    private final UsersCollection users;
    private final Optional<RoleWrites> roleWrites;
    private final Function<Request, PasswordRules> passwords;
    private final Set<String> unrestrictedRoles;
    private final AccountShape shape;

    /// @param rootRole the role that no write may assign; empty for none
    /// @param unrestrictedRoles roles that may see the tokens of accounts, not their passwords
    public UsersGuard(
            UsersCollection users,
            Optional<String> rootRole,
            Function<Request, PasswordRules> passwords,
            List<String> unrestrictedRoles) {
        this.users = users;
        this.shape = new AccountShape(users);
        this.roleWrites =
                rootRole.map(role -> new RoleWrites(role, users.roles().root()));
        this.passwords = passwords;
        this.unrestrictedRoles = new HashSet<>(unrestrictedRoles);
        rootRole.ifPresent(this.unrestrictedRoles::add);
    }

    @Override
    public Response filter(Request request, Handler next) {
        var target = request.attribute(DataTarget.KEY).filter(users::isTargetOf);
        if (target.isEmpty() || target.get().operation() == Other.NONE) {
            return next.handle(request);
        }
        refusal(request).ifPresent(refused -> {
            throw refused.raise();
        });
        var hidden = hidden(request);
        var properties = new HiddenProperties(hidden);
        if (properties.areUsedBy(request.query())) {
            throw new ProblemException(ProblemCode.FORBIDDEN, "Using filters on the password property is forbidden");
        }
        var known = request.with(request.caller()
                        .with(properties.withhold(request.caller().grant())))
                .with(Hidden.KEY, new Hidden(hidden));
        return switch (target.get().operation()) {
            case Write.INSERT, Write.UPLOAD -> {
                var guarded = guarded(known, target.get());
                shape.requireName(request.require(RequestContent.KEY).value());
                yield next.handle(warned(guarded));
            }
            case Write.REPLACE, Write.REPLACE_ONE -> next.handle(warned(guarded(known, target.get())));
            case Write.UPDATE, Write.UPDATE_MANY, Write.UPDATE_ONE -> next.handle(guarded(known, target.get()));
            case Write.DELETE, Write.DELETE_MANY, Write.DELETE_ONE -> next.handle(known);
            case Read _, Structure _, Other _ -> next.handle(known);
        };
    }

    /// Why the caller of a request is refused, whatever its content and its parameters; empty if that depends on them.
    public Optional<Problem> refusal(Request request) {
        return request.attribute(DataTarget.KEY)
                .filter(users::isTargetOf)
                .flatMap(target -> switch (target.operation()) {
                    case Read.RUN, Read.AGGREGATE ->
                        Optional.of(Problem.of(ProblemCode.FORBIDDEN, "Accounts cannot be aggregated"));
                    case Structure.CREATE_INDEX, Structure.DROP_INDEX ->
                        Optional.of(Problem.of(ProblemCode.FORBIDDEN, "Indexes of accounts reveal hidden properties"))
                                .filter(_ -> hidden(request).containsAll(TOKENS));
                    case Read _, Write _, Structure _, Other _ -> Optional.empty();
                });
    }

    /// The request with warnings about new accounts and those that are replaced.
    private Request warned(Request request) {
        var content = request.require(RequestContent.KEY).value();
        var id = request.attribute(DataTarget.KEY).flatMap(DataTarget::id);
        var asked = FoundWarnings.collecting(request);
        if (shape.lacksPassword(content)) {
            FoundWarnings.add(asked, NO_PASSWORD);
        }
        if (shape.lacksUsableName(content, id)) {
            FoundWarnings.add(
                    asked,
                    "nobody can log in with this account: its name, the property " + users.nameProperty()
                            + ", must be a text without a colon");
        }
        return asked;
    }

    /// The projection that removes fields hidden from all callers.
    public static BsonDocument withoutSecrets(UsersCollection users) {
        var projection = new BsonDocument(users.passwordProperty(), new BsonInt32(0));
        TOKENS.forEach(token -> projection.append(token, new BsonInt32(0)));
        return projection;
    }

    private Set<String> hidden(Request request) {
        boolean unrestricted = request.caller().account().map(Account::roles).orElse(List.of()).stream()
                .anyMatch(unrestrictedRoles::contains);
        var hidden = new HashSet<String>();
        hidden.add(users.passwordProperty());
        if (!unrestricted) {
            hidden.addAll(TOKENS);
        }
        return Set.copyOf(hidden);
    }

    private Request guarded(Request request, DataTarget target) {
        request.requireThread();
        boolean isPipeline = request.method() == Method.PATCH && target.operation() != Write.REPLACE_ONE;
        var content = request.require(RequestContent.KEY).value();
        var grant = request.caller().grant();
        var merged = grant.mergeRequest();
        if (roleWrites.isPresent()
                && (couldMakeRoot(roleWrites.get(), content, isPipeline, merged)
                        || UpsertFilters.of(request).stream()
                                .anyMatch(condition -> roleWrites.get().couldMakeRoot(condition, false)))) {
            report(request);
            throw new ProblemException(ProblemCode.FORBIDDEN, ROOT_REFUSED);
        }
        if (!(isPipeline && content.isArray())) { // the values of which are expressions
            shape.require(content);
        }
        var rules = passwords.apply(request);
        var writes = new PasswordWrites(
                users.passwordProperty(),
                request.caller().isLimited() && mayBeOwn(request, target, content) ? rules.refusingAll() : rules);
        var accepted = writes.accept(content, isPipeline);
        var acceptedMerge = merged.map(document -> writes.ofDocument(document, ""));
        return request.with(RequestContent.KEY, new RequestContent(() -> accepted))
                .with(request.caller().with(grant.withMergeRequest(acceptedMerge)));
    }

    /// Whether the request may write the account of its caller.
    private boolean mayBeOwn(Request request, DataTarget target, BsonValue content) {
        var name = new BsonString(request.caller().account().map(Account::name).orElse(""));
        if (!users.nameProperty().equals("_id") || target.kind() == ResourceKind.BULK_DOCUMENTS) {
            return true;
        }
        return target.id().filter(name::equals).isPresent()
                || (content instanceof BsonArray array ? array : List.of(content))
                        .stream()
                                .anyMatch(document ->
                                        document instanceof BsonDocument account && name.equals(account.get("_id")));
    }

    private static boolean couldMakeRoot(
            RoleWrites writes, BsonValue content, boolean isPipeline, Optional<BsonDocument> merged) {
        return writes.couldMakeRoot(content, isPipeline)
                || merged.filter(document -> writes.couldMakeRoot(document, false))
                        .isPresent();
    }

    private static void report(Request request) {
        var account = request.caller().account();
        LOG.warn(
                "{} with roles {} tried to give an account the root role: {} {} from {}",
                account.map(Account::name).map(FailedAuthLogger::printable).orElse("somebody"),
                account.map(Account::roles)
                        .map(Object::toString)
                        .map(FailedAuthLogger::printable)
                        .orElse("[]"),
                request.method(),
                FailedAuthLogger.printable(request.path().decoded()),
                FailedAuthLogger.client(request));
    }
}
