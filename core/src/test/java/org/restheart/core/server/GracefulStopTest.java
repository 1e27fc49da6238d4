package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;

/// A stop under load, as a balancer and its clients see it.
@Timeout(60)
class GracefulStopTest {
    private static final int CLIENTS = 16;

    private final Gateway gateway = Gateway.start(GatewayConfig.parse("""
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {enabled: false}
            core: {grace-period-ms: 1500}
            """));
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicBoolean readinessLost = new AtomicBoolean();

    @AfterEach
    void stop() {
        gateway.close();
    }

    @RepeatedTest(3)
    void no_connection_breaks_and_no_request_is_refused_in_the_grace_period() throws Exception {
        var clients = new ArrayList<Future<?>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                boolean keepsAlive = i % 2 == 0;
                clients.add(threads.submit(() -> {
                    load(keepsAlive);
                    return null;
                }));
            }
            await().until(() -> served.get() > 200);
            var stop = CompletableFuture.runAsync(() -> {
                gateway.announceStop();
                gateway.close();
            });
            int before = served.get();
            await().until(() -> served.get() > before + 50); // still served
            readinessLost.set(true);
            for (var client : clients) {
                client.get();
            }
            stop.join();
        }
    }

    /// Sends requests until readiness is lost; uses a connection until a response says that it ends.
    private void load(boolean keepsAlive) throws IOException {
        while (!readinessLost.get()) {
            try (var connection = new RawClient(gateway.address())) {
                boolean goesOn = true;
                while (goesOn && !readinessLost.get()) {
                    var response = connection.request("GET /ping").answer();
                    assertThat(response.status()).isEqualTo(200);
                    served.incrementAndGet();
                    goesOn = keepsAlive
                            && !response.header("connection").orElse("").contains("close");
                }
            }
        }
    }

    @Test
    void an_idle_server_does_not_wait_for_the_whole_grace_period() {
        var idle = Gateway.start(GatewayConfig.parse("""
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {enabled: false}
                core: {grace-period-ms: 600000}
                """));
        idle.announceStop();
        idle.close();
    }
}
