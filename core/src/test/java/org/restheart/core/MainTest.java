package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The process, as a shell sees it.
@Timeout(180)
class MainTest {
    private static final Pattern READY = Pattern.compile("RESTHeart is ready at (\\S+) after");

    @TempDir
    private Path folder;

    private Process start(String rho, String... arguments) throws IOException {
        var command = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName());
        command.command().addAll(List.of(arguments));
        command.environment().remove("RESTHEART_CONF_FILE");
        command.environment().remove("RHO_FILE");
        command.environment().put("RHO", rho);
        return command.redirectErrorStream(true).start();
    }

    static URI ready(BufferedReader output) throws IOException {
        var seen = new StringBuilder();
        for (String line; (line = output.readLine()) != null; seen.append(line).append('\n')) {
            var matcher = READY.matcher(line);
            if (matcher.find()) {
                return URI.create(matcher.group(1));
            }
        }
        throw new AssertionError("the process ended:\n" + seen);
    }

    @Test
    void the_script_refuses_a_misspelt_option_before_it_builds() throws Exception {
        var script = new ProcessBuilder("../run", "--prot=9090")
                .redirectErrorStream(true)
                .start();
        try (var output = script.inputReader()) {
            assertThat(output.readAllAsString())
                    .startsWith("run: there is no option '--prot'; there are --as-configured ")
                    .contains(" --port ", " --embedded-mongo ")
                    .doesNotContain("building");
        }
        assertThat(script.waitFor()).isEqualTo(1);
    }

    @Test
    void a_server_answers_until_it_is_told_to_stop() throws Exception {
        var process = start(
                "/http-listener/port->0; /logging/log-to-file->true; /logging/log-file-path->'" + folder + "/log'",
                "-s");
        try (var output = process.inputReader();
                var client = HttpClient.newHttpClient()) {
            var ping = ready(output).resolve("/ping");
            assertStatus(200, client.send(HttpRequest.newBuilder(ping).build(), BodyHandlers.discarding()));
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isIn(0, 143);
            assertThat(folder.resolve("log")).content().contains("is ready at", "Stopped");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    @Timeout(120)
    void a_log_that_is_no_terminal_has_no_colors_and_its_level_changes_when_the_process_hangs_up() throws Exception {
        assumeFalse(ignoresHangUp(), "this process, and so every child, ignores SIGHUP, as below nohup");
        var settings = folder.resolve("settings.yml");
        Files.writeString(settings, "/logging/log-level: INFO\n");
        var process = start("/http-listener/port->0", "-s", "-o", settings.toString());
        try (var output = process.inputReader();
                var client = HttpClient.newHttpClient()) {
            var ping = ready(output).resolve("/ping");
            client.send(HttpRequest.newBuilder(ping).build(), BodyHandlers.discarding());
            assertThat(next(output, "GET http://"))
                    .matches("\\d{4}-\\d\\d-\\d\\dT[0-9:]{8}\\.\\d{3}(Z|[+-][0-9:]{5}) \\[request-log] INFO  "
                            + "\\[trace-id: .*] ⚬ GET http://[^ ]+/ping from /.* => status=200 .*")
                    .doesNotContain("\u001b");
            Files.writeString(settings, "/logging/log-level: NONSENSE\n");
            hangUp(process);
            assertThat(next(output, "log-level")).contains("must be one of");
            assertThat(next(output, "Nothing was")).contains("Nothing was changed");
            Files.writeString(settings, "/logging/log-level: DEBUG\n");
            hangUp(process);
            assertThat(next(output, "as configured now")).contains("Log levels");
            Files.writeString(settings, "/logging/log-level: ERROR\n");
            hangUp(process);
            process.toHandle().destroy();
            assertThat(output.lines()).noneMatch(line -> line.contains("Stopped"));
        } finally {
            process.destroyForcibly();
        }
    }

    /// Ignored signals are inherited, and a JVM leaves `HUP` ignored.
    static boolean ignoresHangUp() throws IOException {
        var status = Path.of("/proc/self/status");
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line -> line.matches(".*[13579bdf]"));
    }

    private static void hangUp(Process process) throws Exception {
        new ProcessBuilder("kill", "-HUP", Long.toString(process.pid())).start().waitFor();
    }

    private static String next(BufferedReader output, String part) throws IOException {
        for (String line; (line = output.readLine()) != null; ) {
            if (line.contains(part)) {
                return line;
            }
        }
        throw new AssertionError("the process ended without " + part);
    }

    @Test
    void lines_of_json_tell_requests_by_name() throws Exception {
        var process = start("/http-listener/port->0; /logging/log-format->'json'", "-s");
        try (var output = process.inputReader();
                var client = HttpClient.newHttpClient()) {
            var ping = ready(output).resolve("/ping?token=S3CRET");
            client.send(HttpRequest.newBuilder(ping).build(), BodyHandlers.discarding());
            assertThat(next(output, "/ping"))
                    .startsWith("{\"time\":\"")
                    .contains("\"method\":\"GET\",\"path\":\"/ping\",\"status\":200,\"elapsedMillis\":")
                    .contains("\"query\":\"token=**********\"")
                    .endsWith("}");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void what_cannot_start_ends_with_its_exit_code() throws Exception {
        var process = start("", "missing.yml");
        try (var output = process.inputReader()) {
            assertThat(output.lines()).anyMatch(line -> line.contains("missing.yml"));
            assertThat(process.waitFor()).isEqualTo(255);
        }
    }
}
