package org.restheart.mcp;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.data.Operation;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Request;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.Via;
import org.restheart.http.module.PresentedCredential;
import org.restheart.http.parameter.DataParameter;

/// A call with valid arguments. Immutable by agreement.
record ToolCall(Tool tool, BsonDocument arguments, RpcRequest rpc) {
    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);

    /// As what arguments are sent.
    private static final Map<String, DataParameter> PARAMETERS = Map.of(
            "filter", DataParameter.FILTER,
            "sort", DataParameter.SORT,
            "projection", DataParameter.KEYS,
            "variables", DataParameter.VARIABLES_OF_PIPELINE);

    /// Its request has a place for warnings about the arguments.
    ToolCall {
        rpc = rpc.with(FoundWarnings.collecting(rpc.http()));
    }

    Request http() {
        return rpc.http();
    }

    PresentedCredential credential() {
        return rpc.credential();
    }

    Via via() {
        return tool.via();
    }

    /// A request of the REST API, which is part of this call.
    ///
    /// @param collection its path
    JudgedRequest request(Operation operation, String collection, Map<DataParameter, String> parameters) {
        return request(operation, collection, "", parameters);
    }

    /// @param name of what is meant in the collection
    JudgedRequest request(Operation operation, String collection, String name, Map<DataParameter, String> parameters) {
        return JudgedRequest.of(operation, collection, name, parameters, via());
    }

    /// The query of a request, of arguments that are objects and not empty.
    ///
    /// @param names of arguments in [#PARAMETERS]
    Map<DataParameter, String> query(String... names) {
        var query = new EnumMap<DataParameter, String>(DataParameter.class);
        for (var name : names) {
            json(name).ifPresent(value -> query.put(requireNonNull(PARAMETERS.get(name)), value));
        }
        return query;
    }

    boolean has(String name) {
        return arguments.containsKey(name);
    }

    String text(String name) {
        return arguments.getString(name).getValue();
    }

    Optional<String> optionalText(String name) {
        return has(name) ? Optional.of(text(name)) : Optional.empty();
    }

    int number(String name, int absent) {
        return has(name) ? (int) Math.min(arguments.getNumber(name).doubleValue(), Integer.MAX_VALUE) : absent;
    }

    boolean flag(String name) {
        return has(name) && arguments.getBoolean(name).getValue();
    }

    /// The JSON of an object or array as it was sent; empty if it is missing or has no members.
    Optional<String> json(String name) {
        return Optional.ofNullable(arguments.get(name))
                .filter(value -> !(value instanceof BsonDocument object && object.isEmpty()))
                .map(JSON::encodeToString);
    }

    String requireJson(String name) {
        return JSON.encodeToString(arguments.getOrDefault(name, new BsonDocument()));
    }

    /// An argument that is Extended JSON.
    ///
    /// @throws RefusedCall if it is not
    BsonValue extended(String name) {
        if (arguments.get(name) instanceof BsonDocument object && isPlain(object)) {
            return object;
        }
        try {
            return JsonParser.parse(requireJson(name));
        } catch (MalformedJsonException _) {
            throw RefusedCall.argument("'" + name + "' is not Extended JSON");
        }
    }

    /// Whether Extended JSON means nothing else than JSON, as in most filters by an id.
    private static boolean isPlain(BsonDocument object) {
        return object.entrySet().stream()
                .allMatch(member -> !member.getKey().startsWith("$")
                        && (member.getValue().isString() || member.getValue().isInt32()));
    }

    /// A filter; empty if it is missing.
    BsonDocument filter() {
        return extended("filter") instanceof BsonDocument filter ? filter : new BsonDocument();
    }

    /// All arguments but one, to which tokens of this call are bound.
    ///
    /// @param without the argument that carries the token
    BsonValue matter(String without) {
        var others = arguments.clone();
        others.remove(without);
        return new BsonArray(List.of(new BsonString(tool.toolName()), others));
    }

    /// `database.collection`, for messages.
    String namespace() {
        return Fence.cut(text("database")) + "." + Fence.cut(text("collection"));
    }
}
