package org.restheart.rest.aggregation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.access.Account;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.parameter.FindParameters.Paging;

/// Values of variables by name: the client's, and the server's, whose names begin with `@`: the caller, its grant, and
/// the requested page. Clients cannot set these. A name is a key or a path into a value: `order.limit`, `list[0].x`,
/// `['a.b'].c`. Immutable by agreement.
public record PipelineVariables(BsonDocument values) {
    /// A key after a dot or at the beginning, a key in quotes and brackets, or a position in brackets.
    private static final Pattern STEP = Pattern.compile("\\.?([^.\\[\\]']+)|\\['([^']*)']|\\[(\\d{1,9})]");

    /// The client's variables and the server's.
    public static PipelineVariables of(DataRequest request) {
        var all = new BsonDocument();
        request.parameters().aggregationVariables().ifPresent(all::putAll);
        addPaging(all, request.parameters().find().paging());
        addUser(all, request.http().caller().account());
        addPermissions(all, request.grant());
        return new PipelineVariables(all);
    }

    private static void addPaging(BsonDocument all, Paging paging) {
        var size = new BsonInt32(paging.pageSize());
        all.append("@page", new BsonInt32(paging.page()))
                .append("@pagesize", size)
                .append("@limit", size)
                .append("@skip", BsonValues.number(paging.skip()));
    }

    private static void addUser(BsonDocument all, Optional<Account> account) {
        all.append("@user", account.<BsonValue>map(Account::properties).orElse(BsonNull.VALUE));
        account.ifPresent(known -> known.properties().forEach((name, value) -> all.append("@user." + name, value)));
    }

    private static void addPermissions(BsonDocument all, Access grant) {
        var values = new BsonDocument()
                .append("readFilter", orNull(grant.readFilter()))
                .append("writeFilter", orNull(grant.writeFilter()))
                .append("mergeRequest", orNull(grant.mergeRequest()))
                .append("projectResponse", orNull(grant.projectResponse()));
        values.forEach((name, value) -> all.append("@mongoPermissions." + name, value));
        all.append(
                "@mongoPermissions",
                values.append("allowManagementRequests", BsonBoolean.valueOf(grant.allows(Privilege.MANAGEMENT)))
                        .append("allowWriteMode", BsonBoolean.valueOf(grant.allows(Privilege.WRITE_MODE)))
                        .append("allowBulkPatch", BsonBoolean.valueOf(grant.allows(Privilege.BULK_PATCH)))
                        .append("allowBulkDelete", BsonBoolean.valueOf(grant.allows(Privilege.BULK_DELETE))));
    }

    private static BsonValue orNull(Optional<BsonDocument> value) {
        return value.<BsonValue>map(document -> document).orElse(BsonNull.VALUE);
    }

    /// The value bound to the name, which may be null.
    public Optional<BsonValue> find(String name) {
        var value = values.get(name);
        return value != null ? Optional.of(value) : follow(steps(name));
    }

    private Optional<BsonValue> follow(List<String> steps) {
        BsonValue at = values;
        for (var step : steps) {
            var next = step(at, step);
            if (next.isEmpty()) {
                return Optional.empty();
            }
            at = next.get();
        }
        return steps.isEmpty() ? Optional.empty() : Optional.of(at);
    }

    private static Optional<BsonValue> step(BsonValue at, String step) {
        if (at.isDocument()) {
            return Optional.ofNullable(at.asDocument().get(step));
        }
        if (!at.isArray() || !step.chars().allMatch(Character::isDigit)) {
            return Optional.empty();
        }
        int index = Integer.parseInt(step);
        return index < at.asArray().size() ? Optional.of(at.asArray().get(index)) : Optional.empty();
    }

    /// Empty for a text that is not a path.
    private static List<String> steps(String path) {
        var steps = new ArrayList<String>();
        var matcher = STEP.matcher(path);
        int end = 0;
        while (matcher.find() && matcher.start() == end) {
            end = matcher.end();
            for (int group = 1; group <= matcher.groupCount(); group++) {
                if (matcher.group(group) != null) {
                    steps.add(matcher.group(group));
                }
            }
        }
        return end == path.length() ? steps : List.of();
    }
}
