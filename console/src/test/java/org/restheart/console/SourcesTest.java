package org.restheart.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/// What holds for the console's own files, whatever they do.
class SourcesTest {
    private static final Path ROOT = Path.of("src/main/resources/console");
    private static final int LARGEST = 350 * 1024;

    /// What makes markup or code of texts, and where anything could be kept or sent besides the gateway.
    private static final Pattern FORBIDDEN = Pattern.compile("innerHTML|outerHTML|insertAdjacentHTML"
            + "|dangerouslySetInnerHTML|document\\.write|\\beval\\b|new Function|\\bFunction\\(|setAttribute\\(\"on"
            + "|DOMParser|createContextualFragment|srcdoc|document\\.cookie|sendBeacon|XMLHttpRequest|EventSource"
            + "|new WebSocket|indexedDB|javascript:|https?://(?!www\\.w3\\.org)");

    private static final Pattern IMPORT =
            Pattern.compile("(?m)^\\s*(?:import|export)\\b[^;]*?from \"(\\./[a-z]+\\.js)\"");

    private static Map<String, String> modules() throws IOException {
        var modules = new TreeMap<String, String>();
        try (var files = Files.list(ROOT.resolve("app"))) {
            for (var file : files.toList()) {
                modules.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        assertThat(modules).containsKey("main.js");
        return modules;
    }

    @Test
    void no_source_makes_markup_or_code_of_texts() throws IOException {
        modules()
                .forEach((name, text) -> assertThat(FORBIDDEN.matcher(text).results())
                        .as(name)
                        .extracting(found -> found.group())
                        .isEmpty());
    }

    @Test
    void only_one_module_sends_requests_and_none_stores_a_token() throws IOException {
        modules().forEach((name, text) -> {
            if (!name.equals("api.js")) {
                assertThat(text).as(name).doesNotContainPattern("\\bfetch\\(");
            }
            assertThat(text).as(name).doesNotContainPattern("Storage\\.setItem\\([^\\n]*(oken|assword|uthorization)");
        });
    }

    @Test
    void modules_import_each_other_without_cycles() throws IOException {
        var imports = modules().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        entry -> IMPORT.matcher(entry.getValue())
                                .results()
                                .map(found -> found.group(1).substring(2))
                                .toList()));
        var done = new HashSet<String>();
        imports.keySet().forEach(name -> visit(name, imports, new ArrayList<>(), done));
    }

    private static void visit(String name, Map<String, List<String>> imports, List<String> way, Set<String> done) {
        assertThat(way).as("a cycle of imports").doesNotContain(name);
        if (done.contains(name)) {
            return;
        }
        way.add(name);
        imports.getOrDefault(name, List.of()).forEach(next -> visit(next, imports, way, done));
        way.removeLast();
        done.add(name);
    }

    @Test
    void modules_are_small() throws IOException {
        var lines = modules().values().stream()
                .map(text -> text.lines().count())
                .sorted()
                .toList();
        assertThat(lines.get(lines.size() / 2)).as("median of lines").isLessThanOrEqualTo(100);
    }

    @Test
    void the_page_names_every_file() throws IOException {
        var page = Files.readString(ROOT.resolve("index.html"));
        var named = new TreeSet<>(Pattern.compile("FILES/([^\"]+)\"")
                .matcher(page)
                .results()
                .map(found -> found.group(1))
                .toList());
        try (Stream<Path> files = Files.walk(ROOT)) {
            var there = new TreeSet<>(files.filter(Files::isRegularFile)
                    .map(file -> ROOT.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> !name.equals("index.html"))
                    .toList());
            assertThat(named).isEqualTo(there);
        }
    }

    @Test
    void all_files_together_fit_into_350_kilobytes() throws IOException {
        int sum = 0;
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var coded = new ByteArrayOutputStream();
                try (var coder = new GZIPOutputStream(coded)) {
                    coder.write(Files.readAllBytes(file));
                }
                sum += coded.size();
            }
        }
        assertThat(sum).isLessThan(LARGEST);
    }

    @Test
    void the_vendored_file_is_what_its_script_builds() throws Exception {
        var script = Path.of("vendor/build.sh").toAbsolutePath();
        assumeTrue(runs("npm", "--version"), "there is no npm on the PATH: the vendored file is not compared");
        assumeTrue(
                runs(script.toString(), "--fetch"),
                "npm cannot fetch the packages of the lock file here: the vendored file is not compared");
        assertThat(runs(script.toString(), "--check"))
                .as("vendor.js is what vendor/build.sh makes")
                .isTrue();
    }

    private static boolean runs(String... command) throws InterruptedException {
        try {
            var process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(3, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException _) {
            return false;
        }
    }
}
