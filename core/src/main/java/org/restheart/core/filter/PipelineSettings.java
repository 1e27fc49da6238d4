package org.restheart.core.filter;

import java.util.List;
import org.restheart.core.config.GatewayConfig;

/// What the configuration says about every pipeline.
///
/// @param poweredByHeader whether responses carry `X-Powered-By`
/// @param dateHeader whether responses carry `Date`
/// @param forceEncoding whether requests that accept neither gzip nor deflate are refused
/// @param tracingHeaders request headers that responses repeat
public record PipelineSettings(
        boolean poweredByHeader, boolean dateHeader, boolean forceEncoding, List<String> tracingHeaders) {
    public PipelineSettings {
        tracingHeaders = List.copyOf(tracingHeaders);
    }

    public static PipelineSettings of(GatewayConfig config) {
        return new PipelineSettings(
                config.poweredByHeader(),
                config.dateHeader(),
                config.core().forceGzipEncoding(),
                config.logging().tracingHeaders());
    }
}
