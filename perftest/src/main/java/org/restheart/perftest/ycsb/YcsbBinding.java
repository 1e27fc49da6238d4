package org.restheart.perftest.ycsb;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/// How the benchmark's threads reach the data; they share `connections` whatever their number.
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
public sealed interface YcsbBinding {
    int connections();

    record Driver(String connectionString, int connections) implements YcsbBinding {}

    record Reactive(String connectionString, int connections) implements YcsbBinding {}

    /// The gateway.
    ///
    /// @param credentials `name:password` for HTTP Basic
    /// @param bson whether scans ask for BSON; everything else is JSON
    record Http(String host, int port, String credentials, int connections, boolean bson) implements YcsbBinding {
        public Http withBson() {
            return new Http(host, port, credentials, connections, true);
        }
    }
}
