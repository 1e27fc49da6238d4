package org.restheart.perftest.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.restheart.perftest.driver.DriverLoad;
import org.restheart.perftest.load.HttpLoad;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.load.RequestTemplate;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;
import tools.jackson.databind.json.JsonMapper;

class WorkerTest {
    @Test
    void tasks_survive_the_way_to_the_worker() {
        var json = new JsonMapper();
        var tasks = List.<Task>of(
                new Task.Http(
                        new HttpLoad(
                                "127.0.0.1",
                                8080,
                                new RequestTemplate(
                                        "PUT",
                                        "/{}",
                                        List.of("Host: x"),
                                        "{}",
                                        new RequestTemplate.Slot.RandomNumber(1, 9)),
                                4,
                                2,
                                new Pace.Open(12.5),
                                Window.seconds(1, 2),
                                3),
                        Map.of("gateway", 42L)),
                new Task.Driver(
                        new DriverLoad(
                                "mongodb://127.0.0.1",
                                new Operation.GrowingPage(new Namespace("a", "b"), 100, 10, 5),
                                8,
                                new Window(0, 1000, 50),
                                3),
                        Map.of()));
        for (var task : tasks) {
            assertThat(json.readValue(json.writeValueAsString(task), Task.class))
                    .isEqualTo(task);
        }
    }

    @Test
    void a_task_that_fails_says_why_and_the_worker_lives_on() throws Exception {
        try (var worker = Worker.start(
                System.getProperty("java.class.path"),
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                _ -> {})) {
            var task = new Task.Http(
                    new HttpLoad(
                            "127.0.0.1",
                            closedPort(),
                            new RequestTemplate("GET", "/", List.of(), "", new RequestTemplate.Slot.Nothing()),
                            1,
                            1,
                            new Pace.Closed(),
                            new Window(0, 300, 0),
                            1),
                    Map.of());
            var measured = worker.run(task);
            assertThat(measured.operations()).isZero();
            assertThat(measured.errors()).containsOnlyKeys("Connection refused");
            var unknownHost = new Task.Driver(
                    new DriverLoad(
                            "not a connection string",
                            new Operation.Page(new Namespace("a", "b"), 0, 5),
                            1,
                            new Window(0, 100, 0),
                            1),
                    Map.of());
            assertThatThrownBy(() -> worker.run(unknownHost))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("connection string");
            assertThat(worker.run(task).errors()).isNotEmpty();
        }
    }

    private static int closedPort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
