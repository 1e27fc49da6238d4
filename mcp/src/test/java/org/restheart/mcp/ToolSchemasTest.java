package org.restheart.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Arguments are accepted if and only if they fit the schema that clients are told.
class ToolSchemasTest {
    private static final int ROUNDS = 1_000;
    private static final List<BsonValue> VALUES = List.of(
            new BsonString("x"),
            new BsonString("queryPlanner"),
            new BsonInt32(0),
            new BsonInt32(1),
            new BsonInt32(-1),
            new BsonInt32(55),
            new BsonInt32(101),
            new BsonInt64(1L << 40),
            new BsonDouble(2),
            new BsonDouble(1.5),
            BsonBoolean.TRUE,
            BsonNull.VALUE,
            new BsonDocument(),
            new BsonDocument("a", new BsonInt32(1)),
            new BsonArray(),
            new BsonArray(List.of(new BsonDocument())),
            new BsonArray(java.util.Collections.nCopies(100, new BsonDocument())),
            new BsonArray(java.util.Collections.nCopies(101, new BsonDocument())));

    @ParameterizedTest
    @EnumSource(Tool.class)
    void code_and_schema_agree(Tool tool) {
        var schema = tool.definition().getDocument("inputSchema");
        var properties = schema.getDocument("properties");
        var random = new Random(20261123);
        int accepted = 0;
        for (int round = 0; round < ROUNDS; round++) {
            var given = new BsonDocument();
            for (var name : properties.keySet()) {
                if (random.nextInt(10) > 0) {
                    given.append(name, value(random, properties.getDocument(name)));
                }
            }
            if (random.nextInt(20) == 0) {
                given.append("colection", new BsonString("x"));
            }
            boolean fits = fits(given, schema);
            assertThat(isAccepted(tool, given)).as(given.toJson()).isEqualTo(fits);
            accepted += fits ? 1 : 0;
        }
        assertThat(accepted).isBetween(1, ROUNDS - 1);
    }

    /// Mostly one that fits.
    private static BsonValue value(Random random, BsonDocument schema) {
        for (int i = 0; i < 30 && random.nextInt(12) > 0; i++) {
            var value = VALUES.get(random.nextInt(VALUES.size()));
            if (fits(value, schema)) {
                return value;
            }
        }
        return VALUES.get(random.nextInt(VALUES.size()));
    }

    private static boolean isAccepted(Tool tool, BsonDocument given) {
        try {
            tool.check(given);
            return true;
        } catch (RefusedCall _) {
            return false;
        }
    }

    /// Whether a value fits a schema (JSON Schema, draft 2020-12), as far as tools use that.
    private static boolean fits(BsonValue value, BsonDocument schema) {
        return schema.entrySet().stream().allMatch(rule -> switch (rule.getKey()) {
            case "description" -> true;
            case "type" ->
                rule.getValue() instanceof BsonArray types
                        ? types.stream().anyMatch(type -> isOf(value, type))
                        : isOf(value, rule.getValue());
            case "enum" -> rule.getValue().asArray().contains(value);
            case "minimum" -> !value.isNumber() || number(value) >= number(rule.getValue());
            case "maximum" -> !value.isNumber() || number(value) <= number(rule.getValue());
            case "minItems" -> !value.isArray() || value.asArray().size() >= number(rule.getValue());
            case "maxItems" -> !value.isArray() || value.asArray().size() <= number(rule.getValue());
            case "items" ->
                !value.isArray()
                        || value.asArray().stream()
                                .allMatch(item -> fits(item, rule.getValue().asDocument()));
            case "required" ->
                rule.getValue().asArray().stream()
                        .allMatch(name ->
                                value.asDocument().containsKey(name.asString().getValue()));
            case "properties" ->
                value.asDocument().entrySet().stream()
                        .allMatch(member -> !rule.getValue().asDocument().containsKey(member.getKey())
                                || fits(
                                        member.getValue(),
                                        rule.getValue().asDocument().getDocument(member.getKey())));
            case "additionalProperties" ->
                schema.getDocument("properties")
                        .keySet()
                        .containsAll(value.asDocument().keySet());
            default -> throw new AssertionError(rule.getKey());
        });
    }

    private static boolean isOf(BsonValue value, BsonValue type) {
        return switch (type.asString().getValue()) {
            case "string" -> value.isString();
            case "integer" -> value.isNumber() && number(value) == Math.rint(number(value));
            case "boolean" -> value.isBoolean();
            case "object" -> value.isDocument();
            case "array" -> value.isArray();
            default -> throw new AssertionError(type);
        };
    }

    private static double number(BsonValue value) {
        return value.asNumber().doubleValue();
    }
}
