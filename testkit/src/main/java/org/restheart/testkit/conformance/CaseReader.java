package org.restheart.testkit.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.testkit.conformance.Step.Expectation;
import org.restheart.testkit.conformance.Step.RequestBody;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// Reads a file of cases and refuses unknown keys: a misspelt `expects:` would be a case that cannot fail.
final class CaseReader {
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();
    private static final String FOLDER = "/conformance/";
    private static final String DEFAULT_USER = "admin";
    private static final Set<String> STEP_KEYS =
            Set.of("as", "request", "headers", "body", "form", "expect", "capture");
    private static final Set<String> CASE_KEYS =
            Set.of("name", "given", "then", "as", "request", "headers", "body", "form", "expect", "capture");
    private static final Set<String> EXPECT_KEYS = Set.of("status", "headers", "body", "text");

    private final String file;

    private CaseReader(String file) {
        this.file = file;
    }

    static List<ConformanceCase> read(String file) {
        try (var in = CaseReader.class.getResourceAsStream(FOLDER + file)) {
            if (in == null) {
                throw new IllegalArgumentException("no " + FOLDER + file + " on the class path");
            }
            return new CaseReader(file).cases(YAML.readTree(in));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<ConformanceCase> cases(JsonNode root) {
        require(root.isArray(), "a file is a list of cases");
        var names = new HashSet<String>();
        var cases = new ArrayList<ConformanceCase>();
        for (var node : root.values()) {
            var c = caseOf(node, cases);
            require(names.add(c.name()), "two cases are named '" + c.name() + "'");
            cases.add(c);
        }
        return cases;
    }

    private ConformanceCase caseOf(JsonNode node, List<ConformanceCase> before) {
        checkKeys(node, CASE_KEYS);
        var name = text(node, "name");
        var user = user(node, DEFAULT_USER);
        var steps = new ArrayList<>(List.of(step(node, user)));
        for (var then : node.path("then").values()) {
            checkKeys(then, STEP_KEYS);
            steps.add(step(then, user));
        }
        return new ConformanceCase(file, name, given(node.path("given"), before), List.copyOf(steps));
    }

    private Map<String, List<BsonDocument>> given(JsonNode node, List<ConformanceCase> before) {
        if (node.isString()) {
            var same = before.stream()
                    .filter(c -> c.name().equals(node.stringValue()))
                    .findFirst();
            require(same.isPresent(), "no earlier case is named '" + node.stringValue() + "'");
            return same.orElseThrow().given();
        }
        var collections = new LinkedHashMap<String, List<BsonDocument>>();
        node.properties()
                .forEach(collection -> collections.put(
                        collection.getKey(),
                        collection
                                .getValue()
                                .valueStream()
                                .map(document -> BsonDocument.parse(document.toString()))
                                .toList()));
        return collections;
    }

    private Step step(JsonNode node, String user) {
        return new Step(
                Optional.of(user(node, user)).filter(name -> !name.equals("anonymous")),
                text(node, "request"),
                headers(node),
                body(node),
                expectation(node.path("expect")),
                texts(node.path("capture")));
    }

    private static String user(JsonNode node, String otherwise) {
        return node.has("as") ? node.get("as").asString() : otherwise;
    }

    private Optional<RequestBody> body(JsonNode node) {
        if (node.has("form")) {
            require(!node.has("body"), "a request has a form or a body");
            return Optional.of(new RequestBody(form(node.get("form")), "application/x-www-form-urlencoded"));
        }
        return Optional.ofNullable(node.get("body"))
                .map(body ->
                        new RequestBody(body.isString() ? body.stringValue() : body.toString(), "application/json"));
    }

    private static String form(JsonNode fields) {
        return fields.propertyStream()
                .map(field ->
                        encoded(field.getKey()) + "=" + encoded(field.getValue().asString()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Expectation expectation(JsonNode node) {
        checkKeys(node, EXPECT_KEYS);
        require(node.path("status").isInt(), "expect needs a status");
        return new Expectation(
                node.get("status").intValue(),
                headers(node),
                Optional.ofNullable(node.get("body")),
                node.has("text") ? Optional.of(text(node, "text")) : Optional.empty());
    }

    private static Map<String, @Nullable String> headers(JsonNode node) {
        var headers = new LinkedHashMap<String, @Nullable String>();
        node.path("headers")
                .properties()
                .forEach(header -> headers.put(
                        header.getKey(),
                        header.getValue().isNull() ? null : header.getValue().asString()));
        return headers;
    }

    private static Map<String, String> texts(JsonNode node) {
        return node.propertyStream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().asString()));
    }

    private String text(JsonNode node, String key) {
        require(node.path(key).isString(), "'" + key + "' must be there, and text");
        return node.get(key).stringValue();
    }

    private void checkKeys(JsonNode node, Set<String> known) {
        require(node.isObject(), "not a map: " + node);
        node.propertyNames()
                .forEach(key -> require(known.contains(key), "unknown key '" + key + "'; known are " + known));
    }

    private void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(FOLDER + file + ": " + message);
        }
    }
}
