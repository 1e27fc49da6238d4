package org.restheart.mcp;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.data.Operation.Read;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.text.Words;

/// The tool `explain`: MongoDB's query plan, reduced to stages, indexes and numbers, without data about the server.
/// Thread-safe.
record ExplainTool(McpConfig config, JudgedCalls calls) {
    private static final Set<String> KEPT = Words.of("""
        queryPlanner winningPlan queryPlan stages $cursor stage inputStage inputStages indexName keyPattern
        direction isMultiKey isUnique isSparse executionStats executionStages nReturned executionTimeMillis
        totalKeysExamined totalDocsExamined keysExamined docsExamined
        """);

    /// Members that contain the access rule's filter.
    private static final Set<String> WITH_FILTERS = Set.of("parsedQuery", "filter", "indexBounds");

    /// Members that a single hidden document can change: an index is multikey once any document has an array.
    private static final Set<String> OF_ALL_DOCUMENTS = Set.of("isMultiKey");

    ToolResult explain(ToolCall call) {
        var collection = calls.collection(call);
        boolean executes =
                call.optionalText("verbosity").filter("executionStats"::equals).isPresent();
        if (executes && !config.explainExecutes()) {
            throw RefusedCall.argument("verbosity executionStats is switched off here: leave it out");
        }
        if (call.has("pipeline") && (call.has("filter") || call.has("sort") || call.has("projection"))) {
            throw RefusedCall.argument("give either a pipeline, or filter, sort and projection");
        }
        var visible = calls.facts(call.http(), Read.LIST, collection, "", call.via())
                .flatMap(_ -> calls.facts(call.http(), Read.FIND, collection, "", call.via()))
                .orElseThrow(() -> calls.notPermitted(call));
        var query = explained(call, collection);
        boolean hides = Stream.of(Optional.of(visible), calls.requests().facts(call.http(), query))
                .anyMatch(facts -> facts.isEmpty()
                        || facts.get().grant().readFilter().isPresent()
                        || facts.get().grant().projectResponse().isPresent());
        if (executes && hides) {
            throw RefusedCall.argument("verbosity executionStats would count documents that you may not see");
        }
        var plan = JudgedCalls.document(call, calls.send(call.http(), query.with(new Answer.Plan(executes))));
        return ToolResult.ofNames("The plan for " + call.namespace(), object(plan, hides), config.sizes());
    }

    private JudgedRequest explained(ToolCall call, String collection) {
        if (call.has("pipeline")) {
            return ReadTools.pipeline(call, collection, config.timeLimit());
        }
        return call.request(Read.FIND, collection, ReadTools.parameters(call))
                .with(JudgedRequest.TIME_LIMIT, config.timeLimit());
    }

    /// What is shown of a plan.
    ///
    /// @param hides whether filters and numbers of hidden documents are removed
    private static BsonDocument object(BsonDocument plan, boolean hides) {
        var shown = new BsonDocument();
        plan.forEach((name, value) -> {
            if (hides && OF_ALL_DOCUMENTS.contains(name)) {
                return;
            }
            if (KEPT.contains(name)) {
                shown.append(name, value(value, hides));
            } else if (WITH_FILTERS.contains(name)) {
                if (!hides) {
                    shown.append(name, value);
                }
            } else if (name.startsWith("$") && !name.equals("$clusterTime")) {
                shown.append(name, new BsonDocument()); // a stage of a pipeline, without its operand
            } else if (name.equals("rejectedPlans") && value instanceof BsonArray rejected) {
                shown.append(name, new BsonInt32(rejected.size()));
            }
        });
        return shown;
    }

    private static BsonValue value(BsonValue value, boolean hides) {
        if (value instanceof BsonDocument document) {
            return document.containsKey("stage") || document.keySet().stream().anyMatch(KEPT::contains)
                    ? object(document, hides)
                    : value;
        }
        return BsonValues.copy(value, element -> value(element, hides));
    }
}
