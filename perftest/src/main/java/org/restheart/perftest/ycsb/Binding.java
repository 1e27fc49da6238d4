package org.restheart.perftest.ycsb;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/// How the benchmark's threads reach the data; they share `connections` whatever their number.
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
public sealed interface Binding {
    int connections();

    /// The plain synchronous driver.
    record Driver(String connectionString, int connections) implements Binding {}

    /// The reactive streams driver.
    record Reactive(String connectionString, int connections) implements Binding {}

    /// The gateway.
    ///
    /// @param credentials `name:password` for HTTP Basic
    record Http(String host, int port, String credentials, int connections) implements Binding {}
}
