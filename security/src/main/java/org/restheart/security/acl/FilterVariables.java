package org.restheart.security.acl;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.FilterBinding;
import org.restheart.bson.fields.UnusableVariableException;
import org.restheart.bson.fields.Variables.Binding;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.LogTime;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.security.predicate.Attempt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Replaces the variables of a permission's filters by this request's values. A variable is a whole string value; a
/// value keeps its BSON type, and text is never parsed as part of a filter. Confined to one request.
///
/// @param roles the values of `%ROLES`
record FilterVariables(Attempt attempt, Access written, List<String> roles) {
    private static final Logger LOG = LoggerFactory.getLogger(FilterVariables.class);
    private static final Set<String> FILTERS =
            Set.of("@filter", "@mongoPermissions.readFilter", "@mongoPermissions.writeFilter");
    private static final Pattern RND = Pattern.compile("@rnd\\((\\d{1,4})\\)");
    private static final Pattern QPARAMS = Pattern.compile("@qparams\\[(?:'([^']*)'|\"([^\"]*)\")]");
    private static final int MAX_RND = 4_096;

    /// Variables without a value that the log has; so many at most.
    private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

    private static final int MAX_LOGGED = 1_000;

    /// Whether variables of the grant have to be replaced for each request.
    static boolean occurIn(Access written) {
        return Stream.of(written.readFilter(), written.writeFilter(), written.mergeRequest())
                .flatMap(Optional::stream)
                .anyMatch(FilterVariables::occurIn);
    }

    /// With the roles of the credentials.
    FilterVariables(Attempt attempt, Access written) {
        this(attempt, written, rolesOf(attempt, Account::roles));
    }

    private static List<String> rolesOf(Attempt attempt, Function<Account, List<String>> which) {
        var account = attempt.account();
        return account == null ? List.of() : which.apply(account);
    }

    static boolean occurIn(BsonValue value) {
        return value instanceof BsonString text
                ? isVariable(text.getValue())
                : BsonValues.within(value).anyMatch(FilterVariables::occurIn);
    }

    private static boolean isVariable(String text) {
        return FieldPath.isWithin(text, "@user")
                || FieldPath.isWithin(text, "@request")
                || FieldPath.isWithin(text, "@mongoPermissions")
                || text.equals("@filter")
                || text.equals("@now")
                || (text.startsWith("@rnd(") && text.endsWith(")"))
                || QPARAMS.matcher(text).matches()
                || text.equals("%USER")
                || text.equals("%ROLES")
                || text.equals("%NOW");
    }

    Access bind() {
        return new Access.RowPolicy(
                written.allowed(),
                written.readFilter().map(this::bindFilter),
                written.writeFilter().map(this::bindFilter),
                written.mergeRequest().map(this::bind).map(BsonValue::asDocument),
                written.projectResponse(),
                written.checkWritten(),
                written.requireIndex(),
                written.serverTiming());
    }

    /// A filter in which values are literals, never operators; a variable without a value matches nothing. For
    /// credentials with fewer roles than their account it holds with either list of roles: a filter may exclude
    /// what is of a role, so that fewer roles would match more.
    private BsonDocument bindFilter(BsonDocument template) {
        var filter = bound(template);
        var whole = rolesOf(attempt, Account::all);
        var ofWhole = whole.equals(roles) ? filter : new FilterVariables(attempt, written, whole).bound(template);
        return ofWhole.equals(filter) ? filter : new BsonDocument("$and", new BsonArray(List.of(filter, ofWhole)));
    }

    private BsonDocument bound(BsonDocument template) {
        try {
            return new FilterBinding(this::binding).bind(template);
        } catch (UnusableVariableException e) {
            LOG.warn("a permission's filter matches nothing: {}", e.getMessage());
            return FilterBinding.NOTHING;
        }
    }

    private @Nullable Binding binding(BsonValue node) {
        if (!(node instanceof BsonString text) || !isVariable(text.getValue())) {
            return null;
        }
        var value = valueOf(text.getValue());
        if (value.isNull()) {
            return new Binding.Absent();
        }
        return FILTERS.contains(text.getValue()) && value instanceof BsonDocument filter
                ? new Binding.Filter(filter)
                : new Binding.Value(value);
    }

    /// Content in which values are inserted unchanged, null for a variable without a value.
    private BsonValue bind(BsonValue value) {
        return value instanceof BsonString text && isVariable(text.getValue())
                ? inserted(text.getValue())
                : BsonValues.copy(value, this::bind);
    }

    /// The value of a variable. That an account lacks a property is logged once: the name may be misspelt.
    private BsonValue inserted(String variable) {
        var value = valueOf(variable);
        if (value.isNull()
                && variable.startsWith("@user.")
                && attempt.account() != null
                && LOGGED.size() < MAX_LOGGED
                && LOGGED.add(variable)) {
            LOG.warn("the mergeRequest of a permission stores null for {}: an account has no such property", variable);
        }
        return value;
    }

    private BsonValue valueOf(String variable) {
        if (variable.startsWith("@user")) {
            var account = attempt.account();
            return account == null ? BsonNull.VALUE : at(ofUser(account, variable), rest(variable));
        }
        if (variable.startsWith("@request")) {
            return at(request(), rest(variable));
        }
        if (variable.startsWith("@mongoPermissions")) {
            return at(permissions(), rest(variable));
        }
        if (variable.startsWith("@rnd")) {
            return random(variable);
        }
        var account = attempt.account();
        return switch (variable) {
            case "@filter" -> clientFilter(attempt.request());
            case "@now", "%NOW" -> toSecond(Instant.now());
            case "%USER" -> account == null ? BsonNull.VALUE : new BsonString(account.name());
            case "%ROLES" -> BsonTexts.array(roles);
            default -> parameter(variable);
        };
    }

    private static String rest(String variable) {
        int dot = variable.indexOf('.');
        return dot < 0 ? "" : variable.substring(dot + 1);
    }

    /// As a whole, of a token its claims, without those that only concern the token.
    private static BsonDocument ofUser(Account account, String variable) {
        if (!variable.equals("@user") || account.claims().isEmpty()) {
            return account.properties();
        }
        if (!account.claims().containsKey("exp") || !account.claims().containsKey("sub")) {
            return account.claims();
        }
        var own = account.claims().clone();
        own.remove("exp");
        own.remove("iss");
        own.remove("sub");
        return own;
    }

    /// The value at a dotted path through documents and, by position, arrays; null if there is none.
    static BsonValue at(BsonValue value, String path) {
        if (path.isEmpty()) {
            return value;
        }
        int dot = path.indexOf('.');
        var step = dot < 0 ? path : path.substring(0, dot);
        var rest = dot < 0 ? "" : path.substring(dot + 1);
        return switch (value) {
            case BsonDocument document when document.containsKey(step) -> at(document.get(step), rest);
            case BsonArray array
            when step.length() < 6 && step.chars().allMatch(c -> c >= '0' && c <= '9') -> {
                int index = Integer.parseInt(step);
                yield index < array.size() ? at(array.get(index), rest) : BsonNull.VALUE;
            }
            default -> BsonNull.VALUE;
        };
    }

    private BsonDocument request() {
        var request = attempt.request();
        var connection = request.connection();
        var now = Instant.now();
        var query = request.query().raw();
        var target = request.attribute(DataTarget.KEY);
        return new BsonDocument("db", text(target.flatMap(DataTarget::db)))
                .append("collection", text(target.flatMap(DataTarget::collection)))
                .append("_id", target.flatMap(DataTarget::id).orElse(BsonNull.VALUE))
                .append("resourceType", text(target.map(known -> known.kind().name())))
                .append("userName", text(Optional.ofNullable(attempt.account()).map(Account::name)))
                .append("epochTimeStamp", toSecond(now))
                .append("dateTime", new BsonString(LogTime.of(now)))
                .append("localIp", new BsonString(connection.localAddress()))
                .append(
                        "localPort",
                        new BsonString(Integer.toString(connection.local().getPort())))
                .append("localServerName", new BsonString(connection.host()))
                .append("queryString", new BsonString(query.isEmpty() ? "" : "?" + query))
                .append("relativePath", new BsonString(request.path().decoded()))
                .append("remoteIp", new BsonString(connection.peerAddress()))
                .append("method", new BsonString(request.method().name()))
                .append("protocol", new BsonString(connection.protocol()));
    }

    private static BsonValue text(Optional<String> value) {
        return value.<BsonValue>map(BsonString::new).orElse(BsonNull.VALUE);
    }

    private static BsonDateTime toSecond(Instant time) {
        return new BsonDateTime(time.truncatedTo(ChronoUnit.SECONDS).toEpochMilli());
    }

    private BsonDocument permissions() {
        var document = new BsonDocument();
        for (var demand : Privilege.values()) {
            document.append(demand.flag(), BsonBoolean.valueOf(written.allows(demand)));
        }
        written.readFilter().ifPresent(filter -> document.append("readFilter", filter));
        written.writeFilter().ifPresent(filter -> document.append("writeFilter", filter));
        return document;
    }

    private static BsonValue random(String variable) {
        var matcher = RND.matcher(variable);
        int bits = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
        if (bits < 1 || bits > MAX_RND) {
            return BsonNull.VALUE;
        }
        return new BsonString(HexFormat.of().formatHex(SecretValues.random((bits + 7) / 8)));
    }

    private BsonValue parameter(String variable) {
        var matcher = QPARAMS.matcher(variable);
        if (!matcher.matches()) {
            return BsonNull.VALUE;
        }
        var name = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        return text(attempt.request().query().first(name));
    }

    /// The client's filter; a malformed one is null here and refused by the handler.
    private static BsonValue clientFilter(Request request) {
        var filters = new BsonArray();
        try {
            request.query().all("filter").forEach(text -> filters.add(JsonParser.parse(text)));
        } catch (MalformedJsonException _) {
            return BsonNull.VALUE;
        }
        return switch (filters.size()) {
            case 0 -> new BsonDocument();
            case 1 -> filters.getFirst();
            default -> new BsonDocument("$and", filters);
        };
    }
}
