package org.restheart.core.filter;

import java.util.List;
import org.restheart.core.config.ErrorBodies;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.SecurityGuards;
import org.restheart.security.ClientAddress;

/// The settings of every pipeline.
///
/// @param poweredByHeader whether responses carry `X-Powered-By`
/// @param dateHeader whether responses carry `Date`
/// @param forceEncoding whether requests that accept neither gzip nor deflate are refused
/// @param tracingHeaders request headers that responses repeat
/// @param errorBodies which refusals have a body
/// @param cors what pages of other origins may do
/// @param tracing whether requests may have spans
/// @param clients determines the address under which requests without an account are counted
public record PipelineSettings(
        boolean poweredByHeader,
        boolean dateHeader,
        boolean forceEncoding,
        List<String> tracingHeaders,
        ErrorBodies errorBodies,
        SecurityGuards.Cors cors,
        ClientAddress clients,
        boolean tracing) {
    public PipelineSettings {
        tracingHeaders = List.copyOf(tracingHeaders);
    }

    public static PipelineSettings of(GatewayConfig config) {
        return new PipelineSettings(
                config.poweredByHeader(),
                config.dateHeader(),
                config.core().forceGzipEncoding(),
                config.logging().tracingHeaders(),
                config.core().errorBodies(),
                config.security().guards().cors(),
                config.security().guards().clientAddress(),
                config.tracing().isPresent());
    }
}
