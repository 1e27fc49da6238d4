package org.restheart.security.users;

import java.util.EnumSet;
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
import org.restheart.data.Access;
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
    private static final Set<ResourceKind> DOCUMENTS = EnumSet.of(ResourceKind.DOCUMENT, ResourceKind.BULK_DOCUMENTS);

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
        var target = request.attribute(DataTarget.KEY);
        if (!concerns(request) || request.method() == Method.OPTIONS) {
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
        var grant = properties.withhold(request.caller().grant());
        if (writesDocuments(request, target.get())) {
            var guarded = guarded(request, target.get(), grant).with(Hidden.KEY, new Hidden(hidden));
            if (request.method() == Method.POST) {
                shape.requireName(request.require(RequestContent.KEY).value());
            }
            return next.handle(request.method() == Method.PATCH ? guarded : warned(guarded));
        }
        return next.handle(request.with(request.caller().with(grant)).with(Hidden.KEY, new Hidden(hidden)));
    }

    /// Why the caller of a request is refused, whatever its content and its parameters; empty if that depends on them.
    public Optional<Problem> refusal(Request request) {
        if (!concerns(request) || request.method() == Method.OPTIONS) {
            return Optional.empty();
        }
        return request.attribute(DataTarget.KEY).map(DataTarget::kind).flatMap(kind -> switch (kind) {
            case AGGREGATION, AGGREGATIONS ->
                Optional.of(Problem.of(ProblemCode.FORBIDDEN, "Accounts cannot be aggregated"));
            case INDEX ->
                Optional.of(Problem.of(ProblemCode.FORBIDDEN, "Indexes of accounts reveal hidden properties"))
                        .filter(_ -> hidden(request).containsAll(TOKENS));
            default -> Optional.empty();
        });
    }

    private boolean concerns(Request request) {
        return request.attribute(DataTarget.KEY).filter(users::isTargetOf).isPresent();
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

    private static boolean writesDocuments(Request request, DataTarget target) {
        return switch (request.method()) {
            case POST -> true;
            case PUT, PATCH -> DOCUMENTS.contains(target.kind());
            case GET, HEAD, DELETE, OPTIONS -> false;
        };
    }

    private Request guarded(Request request, DataTarget target, Access grant) {
        request.requireThread();
        boolean isPipeline = request.method() == Method.PATCH;
        var content = request.require(RequestContent.KEY).value();
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
