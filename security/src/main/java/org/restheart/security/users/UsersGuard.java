package org.restheart.security.users;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.EffectiveValue;
import org.restheart.bson.fields.ExpressionBinding;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.TouchedPaths;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Access;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Guard;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.Hidden;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.DataParameter.Reveals;
import org.restheart.http.parameter.ParameterValues;
import org.restheart.security.FailedAuthLogger;
import org.restheart.security.predicate.Attempt.UpsertFilters;
import org.restheart.security.realm.UsersCollection;
import org.restheart.text.Nearest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Guards requests of the data API to the collection of accounts, by any path. The restrictions on passwords and
/// the root role apply to all callers.
public final class UsersGuard implements Guard {
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
    public boolean concerns(Request request, DataTarget target) {
        return users.isTargetOf(target) && target.operation() != Other.NONE;
    }

    @Override
    public Response guard(Request request, DataTarget target, Handler next) {
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
        return switch (target.operation()) {
            case Write.INSERT, Write.UPLOAD -> {
                var guarded = guarded(known, target);
                shape.requireName(request.require(RequestContent.KEY).value());
                yield next.handle(warned(guarded));
            }
            case Write.REPLACE, Write.REPLACE_ONE -> next.handle(warned(guarded(known, target)));
            case Write.UPDATE, Write.UPDATE_MANY, Write.UPDATE_ONE -> next.handle(guarded(known, target));
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
        boolean isPipeline = target.operation().isChange();
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
        if (!users.isNamedById() || target.kind() == ResourceKind.BULK_DOCUMENTS) {
            return true;
        }
        return target.id().filter(name::equals).isPresent()
                || BsonValues.several(content).stream()
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

    /// Refuses accounts whose properties are misspelt or have the wrong type: no client could log in with
    /// them, or their password would be stored as plain text.
    private static final class AccountShape {
        /// A name at this edit distance or less counts as misspelt; others, such as `passwordHint`, are
        /// allowed.
        private static final int MAX_DISTANCE = 2;

        /// What passwords are called elsewhere.
        private static final Set<String> PASSWORDS = Set.of("pwd", "pass", "passwd", "passphrase");

        private static final String FILE_NAME = "userid";

        private final UsersCollection users;
        private final Set<String> meant = new TreeSet<>();

        AccountShape(UsersCollection users) {
            this.users = users;
            meant.add(users.passwordProperty());
            users.roles().property().ifPresent(meant::add);
        }

        private static Stream<BsonDocument> documents(BsonValue content) {
            return switch (content) {
                case BsonArray array -> array.stream().flatMap(AccountShape::documents);
                case BsonDocument document -> Stream.of(document);
                default -> Stream.empty(); // refused elsewhere
            };
        }

        /// Checks documents and changes of documents; of update operators only `$set` and `$setOnInsert`.
        ///
        /// @throws ProblemException 400 naming the first property
        void require(BsonValue content) {
            documents(content)
                    .forEach(document -> document.forEach((key, value) -> {
                        if (!key.startsWith("$")) {
                            require(key, value);
                        } else if (key.equals("$set") || key.equals("$setOnInsert")) {
                            require(value);
                        }
                    }));
        }

        private void require(String key, BsonValue value) {
            if (key.contains(".")) {
                return;
            }
            if (meant.contains(key)) {
                if (!key.equals(users.passwordProperty())
                        && BsonTexts.only(value).isEmpty()) {
                    throw refusal(key + " must be a list of texts, such as [\"editor\"]");
                }
                return;
            }
            if (PASSWORDS.contains(key.toLowerCase(Locale.ROOT))) {
                throw refusal(key + " has no meaning for accounts; did you mean " + users.passwordProperty() + "?");
            }
            Nearest.to(key, meant)
                    .filter(near -> Nearest.distance(key, near) <= MAX_DISTANCE || key.equalsIgnoreCase(near))
                    .ifPresent(near -> {
                        throw refusal(key + " has no meaning for accounts; did you mean " + near + "?");
                    });
        }

        /// Checks the names of new accounts: `userid` is what files call them.
        ///
        /// @throws ProblemException 400
        void requireName(BsonValue content) {
            if (documents(content).anyMatch(account -> account.containsKey(FILE_NAME) && name(account) == null)) {
                throw refusal(FILE_NAME + " is for files; here the name of an account is " + users.nameProperty());
            }
        }

        /// Whether one of the documents is a new account without a password.
        boolean lacksPassword(BsonValue content) {
            return documents(content).anyMatch(account -> !account.containsKey(users.passwordProperty()));
        }

        /// Whether one of the documents is an account with which no client can log in, since its name is no
        /// text, or has a colon, which ends the name in the header `Authorization`.
        ///
        /// @param id in the path; empty if the documents have their own
        boolean lacksUsableName(BsonValue content, Optional<BsonValue> id) {
            var inPath = id.filter(_ -> users.isNamedById());
            return documents(content)
                    .anyMatch(account -> !(inPath.orElse(name(account)) instanceof BsonString name)
                            || name.getValue().isEmpty()
                            || name.getValue().contains(":"));
        }

        private @Nullable BsonValue name(BsonDocument account) {
            return EffectiveValue.of(account, users.nameProperty()).value();
        }

        private static ProblemException refusal(String why) {
            return new ProblemException(ProblemCode.CONTENT_INVALID, why);
        }
    }

    /// Properties of accounts that a caller may not see.
    private record HiddenProperties(Set<String> names) {
        Access withhold(Access grant) {
            return grant.withProjectResponse(Optional.of(Visibility.without(names, grant.projectResponse())));
        }

        /// Whether a parameter depends on one of them: by name, as a field path, or by an expression that
        /// can access every property.
        boolean areUsedBy(Query query) {
            var visibility = Visibility.hiding(names);
            return DataParameter.in(query).stream()
                    .filter(parameter -> parameter.reveals() != Reveals.NOTHING)
                    .anyMatch(parameter -> ParameterValues.sent(parameter, query).stream()
                            .anyMatch(value -> !allows(parameter.reveals(), value, visibility)));
        }

        private static boolean allows(Reveals reveals, BsonValue value, Visibility visibility) {
            return switch (reveals) {
                case CONDITION -> visibility.allowsFilter(value.asDocument());
                case ORDER, INDEX, PROJECTION, VARIABLES ->
                    value instanceof BsonDocument document
                            ? visibility.allowsKeys(document) && visibility.allowsExpression(document)
                            : visibility.paths().stream()
                                    .noneMatch(value.asString().getValue()::contains);
                case NOTHING, ELEMENTS, COMPARISON, RELATED -> true;
            };
        }
    }

    /// Checks whether a write could give an account the root role, in any form: whole documents, dotted
    /// keys, update operators, pipelines. In doubt the answer is yes.
    ///
    /// @param property of the roles, or the first of their path
    private record RoleWrites(String rootRole, String property) {
        private static final Set<String> TAKING_AWAY = Set.of("$unset", "$pull", "$pullAll", "$pop");

        /// @param content a document, or an array of documents
        /// @param isPipeline whether an array is an update pipeline
        boolean couldMakeRoot(BsonValue content, boolean isPipeline) {
            return switch (content) {
                case BsonDocument document -> ofDocument(document);
                case BsonArray array ->
                    array.stream()
                            .anyMatch(element -> !(element instanceof BsonDocument document)
                                    || (isPipeline ? ofStage(document) : ofDocument(document)));
                default -> true;
            };
        }

        private boolean ofDocument(BsonDocument document) {
            return document.entrySet().stream().anyMatch(entry -> {
                var key = entry.getKey();
                return key.startsWith("$")
                        ? ofOperator(key, entry.getValue())
                        : concerns(key) && mentionsRoot(entry.getValue());
            });
        }

        private boolean concerns(String path) {
            return FieldPath.isWithin(path, property);
        }

        private boolean ofOperator(String operator, BsonValue operand) {
            if (!(operand instanceof BsonDocument fields)) {
                return true;
            }
            return fields.entrySet().stream().anyMatch(field -> switch (operator) {
                case "$rename" ->
                    concerns(field.getKey())
                            || !(field.getValue() instanceof BsonString target)
                            || concerns(target.getValue());
                default ->
                    concerns(field.getKey()) && !TAKING_AWAY.contains(operator) && mentionsRoot(field.getValue());
            });
        }

        private boolean mentionsRoot(BsonValue value) {
            return value instanceof BsonString text
                    ? text.getValue().equals(rootRole)
                    : BsonValues.within(value).anyMatch(this::mentionsRoot);
        }

        private boolean ofStage(BsonDocument stage) {
            if (stage.size() != 1) {
                return true;
            }
            var operand = stage.get(stage.getFirstKey());
            return switch (stage.getFirstKey()) {
                case "$set", "$addFields" ->
                    !(operand instanceof BsonDocument fields)
                            || fields.entrySet().stream()
                                    .anyMatch(field -> concerns(field.getKey())
                                            && (mentionsRoot(field.getValue())
                                                    || ExpressionBinding.isExpression(field.getValue())));
                case "$unset" -> false;
                case "$project" ->
                    !(operand instanceof BsonDocument fields)
                            || fields.entrySet().stream()
                                    .anyMatch(field -> concerns(field.getKey())
                                            && !field.getValue().isNumber()
                                            && !field.getValue().isBoolean());
                default -> true; // it replaces the document by something computed
            };
        }
    }

    /// Replaces passwords in the content of a write by their stored form, however they are set; refuses
    /// forms in which they cannot be replaced. The content itself is not changed.
    private record PasswordWrites(String property, PasswordRules rules) {
        /// @throws org.restheart.http.ProblemException 400
        BsonValue accept(BsonValue content, boolean isPipeline) {
            return switch (content) {
                case BsonDocument document -> ofDocument(document, "");
                case BsonArray array -> ofArray(array, isPipeline);
                default -> content; // the handler refuses it
            };
        }

        private BsonValue ofArray(BsonArray array, boolean isPipeline) {
            var accepted = new BsonArray(array.size());
            for (int i = 0; i < array.size(); i++) {
                accepted.add(
                        !(array.get(i) instanceof BsonDocument document)
                                ? array.get(i)
                                : isPipeline
                                        ? ofStage(document)
                                        : ofDocument(document, " in user document at index " + i));
            }
            return accepted;
        }

        private boolean concerns(String path) {
            return FieldPath.isWithin(path, property);
        }

        BsonDocument ofDocument(BsonDocument document, String place) {
            return BsonValues.copy(
                    document,
                    (key, value) -> key.startsWith("$")
                            ? ofOperator(key, value, place)
                            : concerns(key) ? stored(key, value, place) : value);
        }

        private BsonValue stored(String key, BsonValue value, String place) {
            if (!key.equals(property) || !value.isString()) {
                throw PasswordRules.refuse("A password must be a text" + place);
            }
            return new BsonString(rules.accept(value.asString().getValue(), place));
        }

        private BsonValue ofOperator(String operator, BsonValue operand, String place) {
            if (!(operand instanceof BsonDocument fields)) {
                return operand; // the handler refuses it
            }
            return BsonValues.copy(fields, (path, value) -> {
                boolean renames = operator.equals("$rename")
                        && value.isString()
                        && concerns(value.asString().getValue());
                if (!concerns(path) && !renames) {
                    return value;
                }
                return switch (operator) {
                    case "$set", "$setOnInsert" -> stored(path, value, place);
                    case "$unset" -> value;
                    default -> throw PasswordRules.refuse("A password cannot be changed by " + operator + place);
                };
            });
        }

        private BsonDocument ofStage(BsonDocument stage) {
            if (stage.size() == 1
                    && (stage.containsKey("$set") || stage.containsKey("$addFields"))
                    && stage.get(stage.getFirstKey()) instanceof BsonDocument fields) {
                return new BsonDocument(
                        stage.getFirstKey(),
                        BsonValues.copy(fields, (path, value) -> concerns(path) ? literal(path, value) : value));
            }
            if (!stage.containsKey("$unset") && TouchedPaths.ofStage(stage).has(property)) {
                throw PasswordRules.refuse("A password cannot be changed by " + stage.getFirstKey());
            }
            return stage;
        }

        /// In a pipeline a string that begins with `$` is a field path, and hashes begin with `$`.
        private BsonValue literal(String path, BsonValue value) {
            if (value instanceof BsonDocument document && document.size() == 1 && document.containsKey("$literal")) {
                return new BsonDocument("$literal", stored(path, document.get("$literal"), ""));
            }
            if (value.isString() && value.asString().getValue().startsWith("$")) {
                throw PasswordRules.refuse("A password cannot be computed");
            }
            return new BsonDocument("$literal", stored(path, value, ""));
        }
    }
}
