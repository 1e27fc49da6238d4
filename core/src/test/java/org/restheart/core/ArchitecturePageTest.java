package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/// Holds docs/architecture.md and the page of bounds against the classes there are, and the image's context against the
/// modules; and the page of what rules hide against the tests it names.
class ArchitecturePageTest {
    private static final Path PAGE = Path.of("../docs/architecture.md");
    private static final Path BOUNDS = Path.of("../docs/reference/bounds.md");
    private static final Path HIDDEN = Path.of("../docs/noninterference.md");

    /// A test's class with or without a method, or another method of the class named before.
    private static final Pattern TEST = Pattern.compile("`(?:([A-Z]\\w*Test)(?:\\.([…\\w]+))?|(…\\w+…?))`");
    private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z]+(?:[A-Z][a-z0-9]*)+)`");
    private static final Pattern ROW_OF_MODULES = Pattern.compile("(?m)^\\|[^|]*\\| ((?:`[a-z.]+`(?:, )?)+) \\|");
    private static final Pattern ROW_OF_FILES = Pattern.compile("(?m)^\\| `(\\w+)/(\\w+)` \\|");
    private static final Pattern QUOTED = Pattern.compile("`([a-z.]+)`");
    private static JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.restheart");

    /// Else each full collection of garbage in the tests after these takes three times as long.
    @AfterAll
    static void forget() {
        CLASSES = null;
    }

    @Test
    void every_package_has_its_place_in_the_table_and_no_other() throws IOException {
        var told = new TreeSet<String>();
        var parent = "";
        for (var row : ROW_OF_MODULES.matcher(Files.readString(PAGE)).results().toList()) {
            for (var name :
                    QUOTED.matcher(row.group(1)).results().map(r -> r.group(1)).toList()) {
                told.add(name.startsWith(".") ? parent + name : name);
                parent = name.startsWith(".") ? parent : name;
            }
        }
        var there = new TreeSet<String>();
        for (var aClass : CLASSES) {
            if (!aClass.getPackageName().startsWith("org.restheart.testkit")) {
                there.add(aClass.getPackageName());
            }
        }
        assertThat(told).isNotEmpty().isEqualTo(there);
    }

    @Test
    void the_files_of_a_requests_way_exist() throws IOException {
        var files = ROW_OF_FILES.matcher(Files.readString(PAGE)).results().toList();
        assertThat(files).hasSizeGreaterThan(10);
        var there = CLASSES.stream().map(JavaClass::getFullName).toList();
        assertThat(files)
                .allSatisfy(file -> assertThat(there)
                        .containsAnyElementsOf(List.of(
                                "org.restheart." + file.group(1) + "." + file.group(2),
                                "org.restheart.core." + file.group(1) + "." + file.group(2))));
    }

    @Test
    void the_classes_that_keep_bounds_exist() throws IOException {
        var named = CLASS.matcher(Files.readString(BOUNDS))
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();
        assertThat(named).hasSizeGreaterThan(20);
        assertThat(CLASSES.stream().map(JavaClass::getSimpleName)).containsAll(named);
    }

    /// A name of a method is `Class.prefix_…`, `Class.…suffix` or, of the class named before it, `…part`.
    @Test
    void the_tests_of_what_rules_hide_exist() throws IOException {
        var tests = new HashMap<String, String>();
        try (var modules = Files.list(Path.of(".."))) {
            for (var sources : modules.map(folder -> folder.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (var files = Files.walk(sources)) {
                    for (var file : files.filter(file -> file.toString().endsWith("Test.java"))
                            .toList()) {
                        tests.merge(
                                file.getFileName().toString().replace(".java", ""),
                                Files.readString(file),
                                String::concat);
                    }
                }
            }
        }
        var missing = new ArrayList<String>();
        int named = 0;
        var current = "";
        for (var name : TEST.matcher(Files.readString(HIDDEN)).results().toList()) {
            current = name.group(1) == null ? current : name.group(1);
            var method = Objects.requireNonNullElse(name.group(2), Objects.requireNonNullElse(name.group(3), ""))
                    .replace("…", "\\w*");
            var declared = Pattern.compile(method.isEmpty() ? "class " : "void " + method);
            if (!declared.matcher(tests.getOrDefault(current, "")).find()) {
                missing.add(current + "." + method);
            }
            named++;
        }
        assertThat(named).isGreaterThan(80);
        assertThat(missing).isEmpty();
    }

    @Test
    void every_thread_is_in_the_table() throws IOException {
        var page = Files.readString(PAGE);
        var name = Pattern.compile("of(?:Virtual|Platform)\\(\\)[^;\"]*\\.name\\(\\s*\"([a-z -]+)\"");
        var named = new TreeSet<String>();
        try (var modules = Files.list(Path.of(".."))) {
            for (var module : modules.map(folder -> folder.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .filter(sources -> !sources.startsWith("../perftest") && !sources.startsWith("../testkit"))
                    .toList()) {
                try (var files = Files.walk(module)) {
                    for (var file : files.filter(file -> file.toString().endsWith(".java"))
                            .toList()) {
                        name.matcher(Files.readString(file)).results().forEach(found -> named.add(found.group(1)));
                    }
                }
            }
        }
        assertThat(named)
                .hasSizeGreaterThan(20)
                .allSatisfy(thread -> assertThat(page).containsPattern("(?m)^\\|[^|]*`" + Pattern.quote(thread)));
    }

    @Test
    void the_image_is_built_from_every_module() throws IOException {
        var modules = Pattern.compile("<module>([a-z]+)</module>")
                .matcher(Files.readString(Path.of("../pom.xml")))
                .results()
                .map(module -> "!" + module.group(1))
                .filter(module -> !module.equals("!bench")) // in a profile only
                .toList();
        assertThat(modules).hasSizeGreaterThan(10);
        assertThat(Files.readAllLines(Path.of("../.dockerignore"))).containsAll(modules);
    }
}
