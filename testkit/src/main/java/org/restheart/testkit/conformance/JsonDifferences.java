package org.restheart.testkit.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// Compares a JSON value with an expected one that may contain placeholders. The order of keys does not
/// matter; whole numbers and numbers with a fraction differ, since clients can tell 1 from 1.0. Confined to
/// one comparison.
final class JsonDifferences {
    private final CaseVariables variables;
    private final List<String> found = new ArrayList<>();

    private JsonDifferences(CaseVariables variables) {
        this.variables = variables;
    }

    /// @return one line per difference, each beginning with its JSON pointer
    static List<String> between(JsonNode expected, JsonNode actual, CaseVariables variables) {
        var differences = new JsonDifferences(variables);
        differences.compare("", expected, actual);
        return List.copyOf(differences.found);
    }

    private void compare(String at, JsonNode expected, JsonNode actual) {
        var placeholder = placeholder(expected);
        if (placeholder.isPresent()) {
            report(placeholder.get().matches(actual), at, expected, actual);
        } else if (expected.isObject() && actual.isObject()) {
            compareFields(at, expected, actual);
        } else if (expected.isArray() && actual.isArray()) {
            compareElements(at, expected, actual);
        } else if (expected.isString() && actual.isString()) {
            report(variables.replace(expected.stringValue()).equals(actual.stringValue()), at, expected, actual);
        } else if (expected.isNumber() && actual.isNumber()) {
            report(sameNumber(expected, actual), at, expected, actual);
        } else {
            report(expected.equals(actual), at, expected, actual);
        }
    }

    private void compareFields(String at, JsonNode expected, JsonNode actual) {
        var unexpected =
                actual.propertyStream().map(field -> field.getKey()).collect(Collectors.toCollection(TreeSet::new));
        expected.properties().forEach(field -> {
            var key = variables.replace(field.getKey());
            var value = actual.get(key);
            if (value != null) {
                compare(at + "/" + key, field.getValue(), value);
            } else if (!key.equals(Placeholder.MORE)
                    && placeholder(field.getValue())
                            .filter(p -> p == Placeholder.Kind.ABSENT)
                            .isEmpty()) {
                found.add(at + "/" + key + ": is absent but should be " + field.getValue());
            }
            unexpected.remove(key);
        });
        if (!expected.has(Placeholder.MORE)) {
            unexpected.forEach(key -> found.add(at + "/" + key + ": should be absent but is " + actual.get(key)));
        }
    }

    private void compareElements(String at, JsonNode expected, JsonNode actual) {
        var wanted = new ArrayList<>(expected.values());
        var unordered = !wanted.isEmpty() && isText(wanted.getFirst(), Placeholder.UNORDERED);
        if (unordered) {
            wanted.removeFirst();
        }
        var more = !wanted.isEmpty() && isText(wanted.getLast(), Placeholder.MORE);
        if (more) {
            wanted.removeLast();
        }
        if (more ? actual.size() < wanted.size() : actual.size() != wanted.size()) {
            found.add(at + ": should have " + wanted.size() + (more ? " or more" : "") + " elements but has "
                    + actual.size() + ": " + actual);
        } else if (unordered) {
            findEach(at, wanted, actual);
        } else {
            for (var i = 0; i < wanted.size(); i++) {
                compare(at + "/" + i, wanted.get(i), actual.get(i));
            }
        }
    }

    private void findEach(String at, List<JsonNode> wanted, JsonNode actual) {
        var left = new ArrayList<>(actual.values());
        for (var element : wanted) {
            var match = left.stream()
                    .filter(candidate -> between(element, candidate, variables).isEmpty())
                    .findFirst();
            match.ifPresentOrElse(left::remove, () -> found.add(at + ": no element is " + element + " in " + actual));
        }
    }

    private Optional<Placeholder> placeholder(JsonNode expected) {
        return expected.isString() ? Placeholder.of(variables.replace(expected.stringValue())) : Optional.empty();
    }

    private static boolean isText(JsonNode node, String text) {
        return node.isString() && node.stringValue().equals(text);
    }

    private static boolean sameNumber(JsonNode expected, JsonNode actual) {
        if (expected.isIntegralNumber() != actual.isIntegralNumber()) {
            return false;
        }
        return expected.isIntegralNumber()
                ? expected.bigIntegerValue().equals(actual.bigIntegerValue())
                : Double.compare(expected.doubleValue(), actual.doubleValue()) == 0;
    }

    private void report(boolean same, String at, JsonNode expected, JsonNode actual) {
        if (!same) {
            found.add((at.isEmpty() ? "body" : at) + ": should be " + expected + " but is " + actual);
        }
    }
}
