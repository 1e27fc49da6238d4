package org.restheart.testkit.conformance;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.restheart.testkit.conformance.Step.Expectation;
import org.restheart.testkit.wire.WireResponse;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.StringNode;

/// All differences between a response and the expected one, so that one failed run reports them all. Confined to one
/// comparison.
final class AnswerDifferences {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    private final Expectation expected;
    private final WireResponse actual;
    private final CaseVariables variables;
    private final List<String> found = new ArrayList<>();

    AnswerDifferences(Expectation expected, WireResponse actual, CaseVariables variables) {
        this.expected = expected;
        this.actual = actual;
        this.variables = variables;
    }

    /// @return one line per difference; empty when all is as expected
    List<String> list() {
        if (expected.status() != actual.status()) {
            found.add("status: should be " + expected.status() + " but is " + actual.status());
        }
        expected.headers().forEach(this::compareHeader);
        expected.body().ifPresent(this::compareBody);
        expected.text()
                .filter(text -> !matches(text, actual.text()))
                .ifPresent(text -> found.add("text: should be " + text + " but is " + actual.text()));
        return List.copyOf(found);
    }

    private void compareHeader(String name, @Nullable String value) {
        var there = actual.header(name);
        if (value == null) {
            there.ifPresent(other -> found.add(name + ": should be absent but is " + other));
        } else if (there.isEmpty()) {
            found.add(name + ": is absent but should be " + value);
        } else if (!matches(value, there.get())) {
            found.add(name + ": should be " + variables.replace(value) + " but is " + there.get());
        }
    }

    private void compareBody(JsonNode body) {
        try {
            found.addAll(JsonDifferences.between(body, JSON.readTree(actual.body()), variables));
        } catch (JacksonException e) {
            found.add("body: should be JSON but is not: " + e.getOriginalMessage());
        }
    }

    private boolean matches(String wanted, String text) {
        var value = variables.replace(wanted);
        return Placeholder.of(value)
                .map(placeholder -> placeholder.matches(StringNode.valueOf(text)))
                .orElseGet(() -> value.equals(text));
    }
}
