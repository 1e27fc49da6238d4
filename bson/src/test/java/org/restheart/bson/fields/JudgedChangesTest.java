package org.restheart.bson.fields;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Compares the judgements of changes with those of a plain program, which makes the path of each leaf as a text.
class JudgedChangesTest {
    private static final List<String> STEPS =
            List.of("a", "b", "a", "b", "c", "", "0", "1", "$", "$[]", "$[x]", "$[y]", "$id", "$[");
    private static final int CASES = 15_000;

    /// The paths named by a content, and those whose value it replaces: as they may be read, and as the names that they
    /// are, in which dots of names within documents are [#DOT].
    private record Paths(List<String> named, List<String> changed, List<String> changedNames) {
        private static final char DOT = '\u0001';

        static Paths of(BsonDocument content, boolean isUpdate) {
            var paths = new Paths(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            content.forEach((key, value) -> {
                if (isUpdate) {
                    paths.changed.add(key);
                    paths.changedNames.add(key);
                }
                paths.add(key, key, value, isUpdate);
            });
            return paths;
        }

        private void add(String path, String names, BsonValue value, boolean isUpdate) {
            if (value instanceof BsonDocument document
                    && !document.isEmpty()
                    && document.keySet().stream().noneMatch(key -> key.startsWith("$"))) {
                document.forEach(
                        (key, inner) -> add(path + "." + key, names + "." + key.replace('.', DOT), inner, isUpdate));
            } else if (value instanceof BsonArray array && !array.isEmpty()) {
                array.forEach(element -> add(path, names, element, isUpdate));
            } else {
                named.add(names);
                if (!isUpdate) {
                    changed.add(path);
                    changedNames.add(names);
                }
            }
        }

        boolean hasAll(List<String> keys) {
            return keys.stream().allMatch(key -> named.stream().anyMatch(path -> mayBeWithin(path, key)));
        }

        boolean hasOnly(List<String> keys) {
            return changedNames.stream().allMatch(path -> keys.stream().anyMatch(key -> mayBeWithin(path, key)));
        }

        boolean hasAny(List<String> keys) {
            return keys.stream()
                    .anyMatch(key ->
                            changed.stream().anyMatch(path -> FieldPath.of(path).overlaps(FieldPath.of(key))));
        }

        boolean mayDecide(String key) {
            return changed.stream()
                    .anyMatch(path -> FieldPath.of(container(path)).overlaps(FieldPath.of(key)));
        }

        private static boolean mayBeWithin(String path, String key) {
            var read = FieldPath.of(path);
            return FieldPath.isWithin(path, key)
                    || read.readings().stream().anyMatch(names -> FieldPath.isWithin(names, key));
        }

        private static String container(String path) {
            var steps = path.split("\\.", -1);
            int i = 1;
            while (i < steps.length && !FieldPath.isOperator(steps[i]) && !FieldPath.isNumber(steps[i])) {
                i++;
            }
            return String.join(".", List.of(steps).subList(0, i));
        }
    }

    private final Random random = new Random(20_251_124);

    private String path(int most) {
        var steps = new ArrayList<String>();
        int count = 1 + random.nextInt(most);
        while (steps.size() < count) {
            steps.add(STEPS.get(random.nextInt(STEPS.size())));
        }
        return String.join(".", steps);
    }

    /// Of numbers, of which a path with more than five is truncated.
    private String numbers() {
        var path = new StringBuilder("a");
        for (int i = random.nextInt(8); i >= 0; i--) {
            path.append('.').append(random.nextInt(4) == 0 ? "b" : random.nextInt(2));
        }
        return path.toString();
    }

    private BsonValue value(int depth) {
        return switch (depth == 0 ? 3 : random.nextInt(5)) {
            case 0 -> document(depth - 1);
            case 1 -> new BsonArray(List.of(value(depth - 1), value(depth - 1)));
            default -> new BsonInt32(1);
        };
    }

    private BsonDocument document(int depth) {
        var document = new BsonDocument();
        for (int i = random.nextInt(3); i >= 0; i--) {
            document.append(depth < 2 && random.nextInt(8) == 0 ? numbers() : path(4), value(depth));
        }
        return document;
    }

    private static BsonDocument withoutOperators(BsonDocument document) {
        document.keySet().removeIf(key -> key.startsWith("$"));
        return document;
    }

    @Test
    void changes_are_judged_as_by_the_paths_of_all_leaves() {
        for (int i = 0; i < CASES; i++) {
            var content = withoutOperators(document(2));
            boolean isUpdate = random.nextBoolean();
            var keys = new ArrayList<String>();
            for (int n = random.nextInt(3); n >= 0; n--) {
                keys.add(random.nextInt(6) == 0 ? numbers() : path(4));
            }
            var touched = TouchedPaths.together(content, isUpdate);
            var paths = Paths.of(content, isUpdate);
            Supplier<String> what = () -> "%s %s %s".formatted(keys, isUpdate, content);
            assertThat(touched.hasAll(keys)).as(what).isEqualTo(paths.hasAll(keys));
            assertThat(touched.hasOnly(keys)).as(what).isEqualTo(paths.hasOnly(keys));
            assertThat(touched.hasAny(keys)).as(what).isEqualTo(paths.hasAny(keys));
            var key = keys.getFirst();
            assertThat(touched.mayDecide(key)).as(what).isEqualTo(paths.mayDecide(key));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a.b.c, a.1.2.3.4.5.b.c, true",
        "a.b.c, a.1.2.3.4.5.6.b.c, false",
        "a.b.c, a.1.2.3.4.5.6, false",
        "a, a.1.2.3.4.5.6, true",
        "a.1.2.3.4.5.6, a.1.2.3.4.5.6.7, true",
    })
    void paths_with_many_numbers_are_only_what_they_name(String key, String path, boolean isWithin) {
        var change = new BsonDocument(path, new BsonInt32(1));
        assertThat(TouchedPaths.together(change, true).hasAll(List.of(key))).isEqualTo(isWithin);
        assertThat(TouchedPaths.together(change, true).hasOnly(List.of(key))).isEqualTo(isWithin);
    }

    @ParameterizedTest
    @CsvSource({
        "a.$[].b, a.$[].b, true",
        "a.$[].b, a.$[y].$[].b, false",
        "a.$[].b, a.$[].$[].b, false",
        "a.b, a.$[y].$[].b, true",
        "a.$, a.$, true",
        "a.$, a.$[], false",
        "a.$[].b.c, a.$[].$[x].b.c, false",
    })
    void operators_in_a_key_are_names(String key, String path, boolean isWithin) {
        var change = new BsonDocument(path, new BsonInt32(1));
        assertThat(TouchedPaths.together(change, true).hasAll(List.of(key))).isEqualTo(isWithin);
        assertThat(TouchedPaths.together(change, true).hasOnly(List.of(key))).isEqualTo(isWithin);
    }
}
